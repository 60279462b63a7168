// Line programs made by hand, for what compilers seldom or never emit. What they do emit is in symbolizer_test.cc.
#include "symbols/line_table.h"

#include <gtest/gtest.h>

#include <string>

namespace heaptally::symbols {
namespace {

std::string U(uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
  return out;
}

std::string SetAddress(uint64_t address) { return std::string("\0\x09\x02", 3) + U(address, 8); }
const std::string kCopy = "\x01";
const std::string kEnd = std::string("\0\x01\x01", 3);
std::string AdvancePc(int bytes) { return std::string("\x02") + static_cast<char>(bytes); }
std::string AdvanceLine(int lines) { return std::string("\x03") + static_cast<char>(lines & 0x7f); }

// A DWARF 4 unit with the files d/a.c (1) and /abs/b.c (2) around `program`.
std::string Unit(const std::string& program) {
  std::string header =
      std::string("\x01\x01\x01\xfb\x0e\x0d", 6);  // min inst, ops, is_stmt, base -5, range 14, base 13
  header += std::string("\0\1\1\1\1\0\0\0\1\0\0\1", 12);
  header += std::string("d\0\0", 3) + std::string("a.c\0\1\0\0", 7) + std::string("/abs/b.c\0\0\0\0", 12) + '\0';
  const std::string body = U(4, 2) + U(header.size(), 4) + header + program;
  return U(body.size(), 4) + body;
}

bool IsCode(uint64_t vaddr) { return vaddr >= 0x1000; }

TEST(LineTable, RowsFilesAndEnds) {
  const std::string unit = Unit(SetAddress(0x1000) + AdvanceLine(9) + kCopy + AdvancePc(4) + AdvanceLine(1) +
                                std::string("\x04\x02", 2) + kCopy + AdvancePc(4) + kEnd);
  LineTable table({unit, {}, {}}, 0, "/comp", IsCode);
  EXPECT_EQ(table.Find(0xfff).line, 0u);
  EXPECT_EQ(table.Find(0x1000).line, 10u);
  EXPECT_EQ(table.FileName(table.Find(0x1003).file), "/comp/d/a.c");
  EXPECT_EQ(table.Find(0x1004).line, 11u);
  EXPECT_EQ(table.FileName(table.Find(0x1007).file), "/abs/b.c");
  EXPECT_EQ(table.Find(0x1008).line, 0u);
}

TEST(LineTable, SpecialOpcodes) {
  // 13 + (2 + 5) + 14 * 3: line + 2, address + 3.
  const std::string unit = Unit(SetAddress(0x1000) + kCopy + static_cast<char>(13 + 7 + 14 * 3) + AdvancePc(1) + kEnd);
  LineTable table({unit, {}, {}}, 0, "", IsCode);
  EXPECT_EQ(table.Find(0x1002).line, 1u);
  EXPECT_EQ(table.Find(0x1003).line, 3u);
}

TEST(LineTable, DroppedFunctionsDoNotCoverLivingCode) {
  const std::string dead = SetAddress(0) + AdvanceLine(40) + kCopy + std::string("\x02\xff\xff\x03", 4) + kCopy + kEnd;
  const std::string live = SetAddress(0x1000) + AdvanceLine(9) + kCopy + AdvancePc(64) + kEnd;
  for (const std::string& program : {dead + live, live + dead}) {
    const std::string unit = Unit(program);
    LineTable table({unit, {}, {}}, 0, "", IsCode);
    EXPECT_EQ(table.Find(0x1020).line, 10u);
    EXPECT_EQ(table.Find(0x1060).line, 0u);
    EXPECT_EQ(table.Find(0x20).line, 0u);
  }
}

TEST(LineTable, SequencesInAnyOrder) {
  const std::string unit = Unit(SetAddress(0x2000) + AdvanceLine(19) + kCopy + AdvancePc(8) + kEnd +
                                SetAddress(0x1000) + AdvanceLine(9) + kCopy + AdvancePc(8) + kEnd);
  LineTable table({unit, {}, {}}, 0, "", IsCode);
  EXPECT_EQ(table.Find(0x1004).line, 10u);
  EXPECT_EQ(table.Find(0x2004).line, 20u);
  EXPECT_EQ(table.Find(0x1800).line, 0u);
}

TEST(LineTable, ASequenceWithoutAnEndIsIgnored) {
  const std::string unit = Unit(SetAddress(0x1000) + kCopy + AdvancePc(8));
  LineTable table({unit, {}, {}}, 0, "", IsCode);
  EXPECT_EQ(table.Find(0x1004).line, 0u);
}

TEST(LineTable, EveryCutIsHarmless) {
  const std::string unit = Unit(SetAddress(0x1000) + AdvanceLine(9) + kCopy + AdvancePc(8) + kEnd);
  for (size_t n = 0; n < unit.size(); ++n) {
    LineTable cut({std::string_view(unit).substr(0, n), {}, {}}, 0, "", IsCode);
    EXPECT_EQ(cut.Find(0x1004).line, 0u) << n;  // the length of the unit no longer fits
    std::string shortened = U(n < 4 ? 0 : n - 4, 4) + unit.substr(4, n < 4 ? 0 : n - 4);
    LineTable lies({shortened, {}, {}}, 0, "", IsCode);
    lies.Find(0x1004);
    lies.FileName(1);
    LineTable outside({unit, {}, {}}, unit.size() + n, "", IsCode);
    EXPECT_EQ(outside.Find(0x1004).line, 0u);
  }
}

TEST(LineTable, FileNumbersOutsideOfTheTable) {
  const std::string unit = Unit(SetAddress(0x1000) + kCopy + kEnd);
  LineTable table({unit, {}, {}}, 0, "/comp", IsCode);
  for (uint64_t i : {uint64_t{0}, uint64_t{3}, uint64_t{UINT64_MAX}}) EXPECT_EQ(table.FileName(i), "");
  EXPECT_EQ(table.FileName(1), "/comp/d/a.c");
}

}  // namespace
}  // namespace heaptally::symbols
