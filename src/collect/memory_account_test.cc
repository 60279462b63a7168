// The account of resident memory, on address spaces made by hand: which page is whose, and that what nobody claims is
// named unexplained.
#include "collect/memory_account.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace heaptally::collect {
namespace {

constexpr uint64_t kPage = 4096, kMib = 1 << 20, kArena = 64 * kMib;

class FakePages : public ProcessPages {
 public:
  std::optional<std::vector<bool>> Present(uint64_t start, uint64_t end) override {
    std::vector<bool> present;
    for (uint64_t page = start; page < end; page += kPage) present.push_back(!absent.contains(page));
    return present;
  }
  bool ReadPairs(const std::vector<uint64_t>& addresses, std::vector<uint64_t>* pairs) override {
    if (closed) return false;
    pairs->clear();
    for (const uint64_t address : addresses) {
      pairs->push_back(words.contains(address) ? words[address] : 0);
      pairs->push_back(words.contains(address + 8) ? words[address + 8] : 0);
    }
    return true;
  }
  uint64_t ZeroedBytes(const std::string& path) override { return path == "/lib/libx.so" ? 2 * kPage : 0; }

  std::map<uint64_t, bool> absent;  // pages
  std::map<uint64_t, uint64_t> words;
  bool closed = false;
};

class MemoryAccountTest : public ::testing::Test {
 protected:
  // All of it resident and writable; other kinds are changed afterwards.
  Mapping& Add(uint64_t start, uint64_t bytes, const std::string& name = "") {
    Mapping mapping = {.start = start, .end = start + bytes, .readable = true, .writable = true};
    mapping.name = name;
    mapping.inode = name.starts_with('/') ? 7 : 0;
    mapping.resident_bytes = bytes;
    mappings_.push_back(mapping);
    return mappings_.back();
  }
  void AddGuard(uint64_t start, uint64_t bytes) {
    Mapping& guard = Add(start, bytes);
    guard.readable = guard.writable = false;
    guard.resident_bytes = 0;
  }
  // The head of a block that glibc mapped by itself.
  void AddBlock(uint64_t start, uint64_t bytes, uint64_t offset = 0) {
    pages_.words[start + offset] = offset;
    pages_.words[start + offset + 8] = (bytes - offset) | 2;
  }
  MemoryAccount Take() { return AccountFor(mappings_, ranges_, &pages_); }

  std::vector<Mapping> mappings_;
  std::vector<LiveRange> ranges_;
  FakePages pages_;
};

TEST_F(MemoryAccountTest, EveryPartIsMeasuredByItselfAndTheRestIsUnexplained) {
  Add(0x400000, 10 * kPage, "/usr/bin/x");
  Add(0x500000, 20 * kPage, "[heap]");
  Add(0x10000000, 3 * kPage);  // by a bare system call: nobody knows of it
  Add(0x20000000, 5 * kPage, "/usr/lib/libc.so.6");
  Add(0x30000000, 7 * kPage, "/dev/shm/heaptally-0/1-2-3.seg (deleted)");
  Add(0x40000000, 2 * kPage).agents_own = true;
  Add(0x50000000, 4 * kPage, "[stack]");
  Add(0x60000000, 1 * kPage, "[vdso]");
  ranges_ = {{0x70000000, 0x70000000 + 6 * kPage, 9, false}};
  Add(0x70000000, 6 * kPage);
  const MemoryAccount account = Take();
  EXPECT_EQ(account.rss_bytes, 58 * kPage);
  EXPECT_EQ(account.heap_bytes, 20 * kPage);
  EXPECT_EQ(account.files_bytes, 16 * kPage);
  EXPECT_EQ(account.own_bytes, 9 * kPage);
  EXPECT_EQ(account.stacks_bytes, 4 * kPage);
  EXPECT_EQ(account.mapped_bytes, 6 * kPage);
  EXPECT_EQ(account.unexplained_bytes(), 3 * kPage);
  EXPECT_EQ(account.mapped_by_site, (std::map<uint32_t, uint64_t>{{9, 6 * kPage}}));
  EXPECT_TRUE(account.looked_into);
}

TEST_F(MemoryAccountTest, RangesThatShareAMappingAreToldApartByPages) {
  Mapping& mapping = Add(0x10000000, 100 * kPage);
  for (uint64_t page = 10; page < 60; ++page) pages_.absent[0x10000000 + page * kPage] = true;
  mapping.resident_bytes = 50 * kPage;
  ranges_ = {{0x10000000 + 50 * kPage, 0x10000000 + 70 * kPage, 2, false},
             {0x10000000, 0x10000000 + 20 * kPage, 1, false},
             {0x90000000, 0x90000000 + kPage, 3, false}};  // nothing of it is there
  const MemoryAccount account = Take();
  EXPECT_EQ(account.mapped_by_site, (std::map<uint32_t, uint64_t>{{1, 10 * kPage}, {2, 10 * kPage}, {3, 0}}));
  EXPECT_EQ(account.unexplained_bytes(), 30 * kPage);
}

// Pages of zeros that were only read are present, but no part of RSS.
TEST_F(MemoryAccountTest, NoMoreIsGivenOutThanThereIs) {
  Add(0x10000000, 100 * kPage).resident_bytes = 10 * kPage;
  ranges_ = {{0x10000000, 0x10000000 + 50 * kPage, 1, false}};
  const MemoryAccount account = Take();
  EXPECT_EQ(account.mapped_bytes, 10 * kPage);
  EXPECT_EQ(account.unexplained_bytes(), 0u);
}

TEST_F(MemoryAccountTest, TheProgramsOwnRangeOfTheBreakAndOfAFile) {
  Add(0x500000, 20 * kPage, "[heap]");
  Add(0x600000, 8 * kPage, "/tmp/data");
  ranges_ = {{0x500000 + 4 * kPage, 0x500000 + 8 * kPage, 1, false}, {0x600000, 0x600000 + 8 * kPage, 2, false}};
  const MemoryAccount account = Take();
  EXPECT_EQ(account.heap_bytes, 16 * kPage);
  EXPECT_EQ(account.mapped_bytes, 12 * kPage);
  EXPECT_EQ(account.files_bytes, 0u);
}

TEST_F(MemoryAccountTest, BlocksThatGlibcMapsOneByOne) {
  Add(0x10000000, 400 * kPage);
  AddBlock(0x10000000, 40 * kPage);
  AddBlock(0x10000000 + 40 * kPage, 40 * kPage, 48);             // aligned to 64
  AddBlock(0x10000000 + 100 * kPage, 40 * kPage, kPage - 16);    // aligned to a page
  AddBlock(0x10000000 + 350 * kPage, 100 * kPage);               // larger than what is there: none
  const MemoryAccount account = Take();
  EXPECT_EQ(account.heap_bytes, 120 * kPage);
  EXPECT_EQ(account.unexplained_bytes(), 280 * kPage);
  pages_.closed = true;
  const MemoryAccount from_afar = Take();
  EXPECT_EQ(from_afar.heap_bytes, 0u);
  EXPECT_EQ(from_afar.unexplained_bytes(), 400 * kPage);
  EXPECT_FALSE(from_afar.looked_into);
}

TEST_F(MemoryAccountTest, AnotherAllocatorsMemoryIsWhatItMapped) {
  Add(0x10000000, 400 * kPage);
  AddBlock(0x10000000, 40 * kPage);  // by chance
  ranges_ = {{0x10000000 + 100 * kPage, 0x10000000 + 200 * kPage, 1, true}};
  const MemoryAccount account = Take();
  EXPECT_EQ(account.heap_bytes, 100 * kPage);
  EXPECT_EQ(account.mapped_bytes, 0u);
  EXPECT_TRUE(account.mapped_by_site.empty());
}

TEST_F(MemoryAccountTest, ArenasOfGlibc) {
  const uint64_t full = 16 * kArena, partial = 17 * kArena;
  Add(full - 5 * kPage, kArena + 5 * kPage + 30 * kPage);  // something, a full heap, and one that grows
  pages_.words[full] = pages_.words[partial] = full + 0x30;
  pages_.words[full + 16] = pages_.words[full + 24] = kArena;
  pages_.words[partial + 8] = full;
  pages_.words[partial + 16] = pages_.words[partial + 24] = 30 * kPage;
  AddGuard(partial + 30 * kPage, kArena - 30 * kPage);
  EXPECT_EQ(Take().heap_bytes, kArena + 30 * kPage);
  EXPECT_EQ(Take().unexplained_bytes(), 5 * kPage);
  pages_.closed = true;  // then its shape has to do, and of a full one that says nothing
  EXPECT_EQ(Take().heap_bytes, 30 * kPage);
  pages_.closed = false;
  pages_.words.erase(partial + 24);
  EXPECT_EQ(Take().heap_bytes, kArena) << "a reservation of somebody else's";
}

TEST_F(MemoryAccountTest, StacksOfThreadsLieAboveAGuard) {
  AddGuard(0x10000000, kPage);
  Add(0x10000000 + kPage, 100 * kPage);
  AddBlock(0x10000000 + kPage + 60 * kPage, 40 * kPage);  // melted with what the next mapping above was
  AddGuard(0x20000000, kPage);
  Add(0x20000000 + 2 * kPage, 10 * kPage);  // not right above it
  const MemoryAccount account = Take();
  EXPECT_EQ(account.stacks_bytes, 60 * kPage);
  EXPECT_EQ(account.heap_bytes, 40 * kPage);
  EXPECT_EQ(account.unexplained_bytes(), 10 * kPage);
}

TEST_F(MemoryAccountTest, ZeroedDataBelongsToItsFile) {
  Add(0x10000000, kPage, "/lib/libx.so");
  Add(0x10000000 + kPage, 5 * kPage);
  const MemoryAccount account = Take();
  EXPECT_EQ(account.files_bytes, 3 * kPage);
  EXPECT_EQ(account.unexplained_bytes(), 3 * kPage);
}

TEST(AddressSpaceTest, ParsesWhatTheKernelSays) {
  const std::vector<Mapping> mappings = ParseSmaps(
      "00400000-00402000 r-xp 00000000 08:01 1234                       /usr/bin/a b\n"
      "Size:                  8 kB\nRss:                   4 kB\nVmFlags: rd ex mr mw me dw \n"
      "7f0000000000-7f0000003000 rw-p 00000000 00:00 0 \n"
      "Rss:                  12 kB\nVmFlags: rd wr mr mw me ac dd wf \n"
      "7f0000003000-7f0000004000 ---s 00000000 00:05 9                  /dev/zero (deleted)\n"
      "rubbish\nRss: x kB\n");
  ASSERT_EQ(mappings.size(), 3u);
  EXPECT_EQ(mappings[0].name, "/usr/bin/a b");
  EXPECT_EQ(mappings[0].resident_bytes, 4096u);
  EXPECT_TRUE(mappings[0].executable && !mappings[0].writable && !mappings[0].agents_own && !mappings[0].anonymous());
  EXPECT_EQ(mappings[1].end - mappings[1].start, 3 * kPage);
  EXPECT_TRUE(mappings[1].agents_own && mappings[1].anonymous());
  EXPECT_TRUE(mappings[2].shared && mappings[2].inaccessible());
  EXPECT_EQ(mappings[2].resident_bytes, 0u);
}

// Of this very process: what is known of it must be found.
TEST(AddressSpaceTest, ReadsALivingProcess) {
  char* mine = static_cast<char*>(mmap(nullptr, 64 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(mine, MAP_FAILED);
  for (int page : {3, 5, 6}) mine[page * kPage] = 1;
  const uint64_t word[2] = {4711, 4712};
  std::memcpy(mine + 5 * kPage, word, sizeof word);
  const auto space = ReadAddressSpace(getpid());
  ASSERT_TRUE(space);
  LivingPages pages(getpid());
  const auto start = reinterpret_cast<uint64_t>(mine);
  const auto present = pages.Present(start, start + 8 * kPage);
  ASSERT_TRUE(present);
  EXPECT_EQ(*present, (std::vector<bool>{false, false, false, true, false, true, true, false}));
  std::vector<uint64_t> words;
  ASSERT_TRUE(pages.ReadPairs({start + 5 * kPage, start + 6 * kPage}, &words));
  EXPECT_EQ(words, (std::vector<uint64_t>{4711, 4712, 1, 0}));
  const MemoryAccount account = AccountFor(*space, {{start, start + 64 * kPage, 1, false}}, &pages);
  EXPECT_EQ(account.mapped_bytes, 3 * kPage);
  EXPECT_GT(account.files_bytes, 0u);
  EXPECT_GT(account.stacks_bytes, 0u);
  EXPECT_FALSE(ReadAddressSpace(0x7fffffff));
  munmap(mine, 64 * kPage);
}

}  // namespace
}  // namespace heaptally::collect
