#include "unwind/fde_search.h"

#include <gtest/gtest.h>

#include <random>

#include "unwind/frame_bytes.h"

namespace heaptally::unwind {
namespace {

// A header with a sorted table of `starts` (relative to the header); entry i says that its FDE is at 1000 + i.
FrameBytes HeaderWith(std::initializer_list<int32_t> starts, uint32_t count, uint8_t table_encoding = 0x3b) {
  FrameBytes bytes;
  bytes.Add({1, 0x1b, 0x03, table_encoding}).Put<int32_t>(100).Put<uint32_t>(count);
  int32_t fde = 1000;
  for (const int32_t start : starts) bytes.Put<int32_t>(start).Put<int32_t>(fde++);
  return bytes;
}

int64_t FoundAt(const ExactCopy& copy, int64_t pc_offset) {
  EhFrameHeader header;
  if (!ReadEhFrameHeader(copy.section(), copy.at(0), &header) || header.table == nullptr) return -1;
  const uint64_t pc = reinterpret_cast<uint64_t>(copy.at(0)) + static_cast<uint64_t>(pc_offset);
  const uint8_t* fde = SearchTable(header, pc);
  return fde == nullptr ? -1 : fde - copy.at(0);
}

TEST(SearchTable, FindsTheLastEntryAtOrBelowThePc) {
  FrameBytes bytes = HeaderWith({-500, -100, 0, 300}, 4);
  const ExactCopy copy(bytes.bytes());
  EXPECT_EQ(FoundAt(copy, -501), -1);
  EXPECT_EQ(FoundAt(copy, -500), 1000);
  EXPECT_EQ(FoundAt(copy, -101), 1000);
  EXPECT_EQ(FoundAt(copy, -100), 1001);
  EXPECT_EQ(FoundAt(copy, 299), 1002);
  EXPECT_EQ(FoundAt(copy, int64_t{1} << 40), 1003);
}

TEST(SearchTable, BelievesNoCountBeyondItsBytes) {
  FrameBytes bytes = HeaderWith({0, 16}, 0xffffffff);
  const ExactCopy copy(bytes.bytes());
  EXPECT_EQ(FoundAt(copy, 20), 1001);
}

TEST(SearchTable, SurvivesAnEmptyAndAnUnsortedTable) {
  FrameBytes empty = HeaderWith({}, 0);
  EXPECT_EQ(FoundAt(ExactCopy(empty.bytes()), 20), -1);
  FrameBytes unsorted = HeaderWith({5, -7, 3, 1 << 30, -(1 << 30)}, 5);
  const ExactCopy copy(unsorted.bytes());
  for (int64_t pc = -10; pc < 10; ++pc) FoundAt(copy, pc);
}

TEST(ReadEhFrameHeader, RefusesOtherVersionsAndTruncation) {
  FrameBytes bytes = HeaderWith({0}, 1);
  for (size_t size = 0; size < 8; ++size) {
    EhFrameHeader header;
    const ExactCopy copy(bytes.bytes(), size);
    EXPECT_FALSE(ReadEhFrameHeader(copy.section(), copy.at(0), &header)) << size;
  }
  bytes.bytes()[0] = 2;
  const ExactCopy copy(bytes.bytes());
  EhFrameHeader header;
  EXPECT_FALSE(ReadEhFrameHeader(copy.section(), copy.at(0), &header));
}

TEST(ReadEhFrameHeader, LeavesOtherTablesToTheScan) {
  FrameBytes bytes = HeaderWith({0}, 1, 0x1b);
  const ExactCopy copy(bytes.bytes());
  EhFrameHeader header;
  ASSERT_TRUE(ReadEhFrameHeader(copy.section(), copy.at(0), &header));
  EXPECT_EQ(header.table, nullptr);
  EXPECT_EQ(header.eh_frame, copy.at(0) + 4 + 100);
}

TEST(ScanForFde, FindsTheRecordThatCovers) {
  FrameBytes bytes;
  bytes.Cie();
  const size_t first = bytes.size();
  bytes.Fde(0, 0x1000, 0x10, {});
  const size_t second = bytes.size();
  bytes.Fde(0, 0x1010, 0x10, {});
  bytes.Put<uint32_t>(0);
  bytes.Fde(0, 0x1020, 0x10, {});  // behind the terminator
  const ExactCopy copy(bytes.bytes());
  EXPECT_EQ(ScanForFde(copy.section(), copy.at(0), 0x1000), copy.at(first));
  EXPECT_EQ(ScanForFde(copy.section(), copy.at(0), 0x101f), copy.at(second));
  EXPECT_EQ(ScanForFde(copy.section(), copy.at(0), 0x1020), nullptr);
  EXPECT_EQ(ScanForFde(copy.section(), nullptr, 0x1000), nullptr);
}

TEST(ScanForFde, EndsOnMutatedRecords) {
  std::mt19937_64 random(11);
  FrameBytes original;
  original.Cie();
  for (uint64_t i = 0; i < 8; ++i) original.Fde(0, 0x1000 + 16 * i, 0x10, {0x41, 0x0e, 16});
  for (int i = 0; i < 50000; ++i) {
    FrameBytes bytes = original;
    bytes.bytes()[random() % bytes.size()] = static_cast<uint8_t>(random());
    const ExactCopy copy(bytes.bytes());
    ScanForFde(copy.section(), copy.at(0), 0x1000 + random() % 256);
  }
}

}  // namespace
}  // namespace heaptally::unwind
