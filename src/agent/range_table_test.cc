// The table of ranges against a model that knows every page: whose it is, and which mappings have pages left.
#include "agent/range_table.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace heaptally::agent {
namespace {

struct TestStore {
  static inline std::deque<segment::MappedRange> items;  // addresses stay
  static inline uint32_t most_items = UINT32_MAX;
  static inline bool memory = true;
  static inline std::vector<void*> maps;

  static segment::MappedRange* At(uint32_t id) { return &items[id]; }
  static uint32_t Append() {
    if (items.size() >= most_items) return UINT32_MAX;
    items.push_back({});
    return static_cast<uint32_t>(items.size() - 1);
  }
  static void* Map(uint64_t bytes) {
    if (!memory) return nullptr;
    maps.push_back(std::calloc(1, bytes));
    return maps.back();
  }
  static void Unmap(void*, uint64_t) {}  // freed at the end, so that a use after it would be seen as a wrong value
  static void Clear() {
    items.clear();
    most_items = UINT32_MAX;
    memory = true;
    for (void* map : maps) std::free(map);
    maps.clear();
  }
};

using Table = RangeTable<TestStore>;

struct Gone {
  uint64_t bytes = 0;
  uint32_t mappings = 0;
  bool operator==(const Gone&) const = default;
};

// Page -> the stamp of its mapping; mapping -> its pages that are left.
class Model {
 public:
  std::map<uint32_t, Gone> Remove(uint64_t start, uint64_t end, uint64_t newest) {
    std::map<uint32_t, Gone> gone;
    for (auto page = pages_.lower_bound(start); page != pages_.end() && page->first < end;) {
      const uint64_t stamp = page->second;
      if (stamp > newest) {
        ++page;
        continue;
      }
      Gone& of_site = gone[site_[stamp]];
      ++of_site.bytes;
      if (--left_[stamp] == 0) ++of_site.mappings;
      page = pages_.erase(page);
    }
    return gone;
  }
  void Insert(uint64_t start, uint64_t end, uint32_t site, uint64_t stamp) {
    for (uint64_t page = start; page < end; ++page) pages_[page] = stamp;
    site_[stamp] = site;
    left_[stamp] = end - start;
  }
  const std::map<uint64_t, uint64_t>& pages() const { return pages_; }

 private:
  std::map<uint64_t, uint64_t> pages_;
  std::map<uint64_t, uint32_t> site_;
  std::map<uint64_t, uint64_t> left_;
};

class RangeTableTest : public ::testing::Test {
 protected:
  ~RangeTableTest() override { TestStore::Clear(); }

  std::map<uint32_t, Gone> Remove(uint64_t start, uint64_t end, uint64_t newest = UINT64_MAX) {
    std::map<uint32_t, Gone> gone;
    whole_ = table_->Remove(start, end, newest, [&gone](const Table::Range& range, uint64_t bytes, bool ended) {
      gone[range.site].bytes += bytes;
      if (ended) ++gone[range.site].mappings;
    });
    return gone;
  }

  // In order, without overlap, and page by page what the model says.
  void ExpectEqual(const Model& model) {
    std::map<uint64_t, uint64_t> pages;
    uint64_t last = 0;
    table_->ForEach([&](const Table::Range& range) {
      EXPECT_GE(range.start, last);
      EXPECT_LT(range.start, range.end);
      last = range.end;
      for (uint64_t page = range.start; page < range.end; ++page) pages[page] = range.stamp;
    });
    EXPECT_EQ(pages, model.pages());
  }

  std::unique_ptr<Table> table_ = std::make_unique<Table>();
  bool whole_ = true;
};

TEST_F(RangeTableTest, CutsAtTheFrontAtTheBackAndInTheMiddle) {
  ASSERT_TRUE(table_->Insert(100, 200, 7, 1, 1));
  EXPECT_EQ(Remove(90, 110), (std::map<uint32_t, Gone>{{7, {10, 0}}}));
  EXPECT_EQ(Remove(190, 300), (std::map<uint32_t, Gone>{{7, {10, 0}}}));
  EXPECT_EQ(Remove(140, 150), (std::map<uint32_t, Gone>{{7, {10, 0}}}));
  EXPECT_EQ(Remove(0, 140), (std::map<uint32_t, Gone>{{7, {30, 0}}}));
  EXPECT_EQ(Remove(0, 1000), (std::map<uint32_t, Gone>{{7, {40, 1}}})) << "the mapping ends with its last piece";
  EXPECT_TRUE(Remove(0, 1000).empty());
}

TEST_F(RangeTableTest, LeavesWhatIsNewerThanTheCall) {
  ASSERT_TRUE(table_->Insert(100, 110, 1, 0, 1));
  ASSERT_TRUE(table_->Insert(110, 120, 2, 0, 2));
  ASSERT_TRUE(table_->Insert(120, 130, 3, 0, 1));
  EXPECT_EQ(Remove(105, 125, 1), (std::map<uint32_t, Gone>{{1, {5, 0}}, {3, {5, 0}}}));
  EXPECT_EQ(Remove(100, 130), (std::map<uint32_t, Gone>{{1, {5, 1}}, {2, {10, 1}}, {3, {5, 1}}}));
}

TEST_F(RangeTableTest, AnItemIsNotUsedAgainWhileItsNumberIs) {
  ASSERT_TRUE(table_->Insert(0, 10, 1, 0, 1));
  Remove(4, 5);
  Remove(0, 4);  // the first piece, whose item is the mapping's number
  ASSERT_TRUE(table_->Insert(20, 30, 2, 0, 2));
  EXPECT_EQ(Remove(20, 30), (std::map<uint32_t, Gone>{{2, {10, 1}}}));
  EXPECT_EQ(Remove(5, 10), (std::map<uint32_t, Gone>{{1, {5, 1}}}));
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(table_->Insert(40, 50, 3, 0, 3));
    Remove(40, 50);
  }
  EXPECT_LE(TestStore::items.size(), 3u) << "items are used again";
}

TEST_F(RangeTableTest, FullIsRefusedAndLosesNothingElse) {
  TestStore::most_items = 2;
  ASSERT_TRUE(table_->Insert(0, 10, 1, 0, 1));
  ASSERT_TRUE(table_->Insert(10, 20, 2, 0, 2));
  EXPECT_FALSE(table_->Insert(20, 30, 3, 0, 3));
  EXPECT_EQ(Remove(4, 6), (std::map<uint32_t, Gone>{{1, {2, 0}}}));
  EXPECT_FALSE(whole_) << "the upper piece has no room";
  EXPECT_EQ(Remove(0, 30), (std::map<uint32_t, Gone>{{1, {4, 1}}, {2, {10, 1}}}));
}

TEST_F(RangeTableTest, WithoutMemoryNothingIsChanged) {
  TestStore::memory = false;
  EXPECT_FALSE(table_->Insert(0, 10, 1, 0, 1));
  TestStore::memory = true;
  EXPECT_TRUE(table_->Insert(0, 10, 1, 0, 1));
}

TEST_F(RangeTableTest, RandomOperationsAgainstPages) {
  for (uint32_t seed = 1; seed <= 8; ++seed) {
    std::mt19937_64 random(seed);
    const uint64_t space = 1000 << seed % 4 * 2;
    Model model;
    TestStore::items.clear();
    table_ = std::make_unique<Table>();
    uint64_t stamp = 0;
    for (int step = 0; step < 3000; ++step) {
      const uint64_t start = random() % space, end = start + 1 + random() % (random() % 8 == 0 ? space / 4 : 12);
      const bool insert = random() % 5 < 3;
      const uint64_t newest = insert || random() % 3 != 0 ? UINT64_MAX : stamp - std::min<uint64_t>(stamp, random() % 30);
      ASSERT_EQ(Remove(start, end, newest), model.Remove(start, end, newest)) << "seed " << seed << " step " << step;
      if (insert) {
        const auto site = static_cast<uint32_t>(random() % 5);
        ASSERT_TRUE(table_->Insert(start, end, site, 0, ++stamp));
        model.Insert(start, end, site, stamp);
      }
      if (random() % 1000 == 0) table_->Rebuild(static_cast<uint32_t>(TestStore::items.size()));
      if (step % 500 == 0) ExpectEqual(model);
    }
    ExpectEqual(model);
    Remove(0, UINT64_MAX);
    uint32_t numbers = 0;
    for (const auto& item : TestStore::items) numbers += item.pieces + (item.end != 0);
    EXPECT_EQ(numbers, 0u);
  }
}

TEST_F(RangeTableTest, TenThousandRangesUpAndDown) {
  for (uint64_t i = 0; i < 10000; ++i) ASSERT_TRUE(table_->Insert(i * 10, i * 10 + 5, 1, 0, i + 1));
  for (uint64_t i = 20000; i > 10000; --i) ASSERT_TRUE(table_->Insert(i * 10, i * 10 + 5, 2, 0, i + 1));
  EXPECT_EQ(Remove(0, 1 << 20), (std::map<uint32_t, Gone>{{1, {50000, 10000}}, {2, {50000, 10000}}}));
  ASSERT_TRUE(table_->Insert(0, 1 << 20, 3, 0, 1));
  for (uint64_t i = 0; i < 10000; ++i) Remove(i * 100, i * 100 + 50);
  EXPECT_EQ(Remove(0, 1 << 20).at(3).mappings, 1u);
}

// A change that was left half-way: the items are what there is.
TEST_F(RangeTableTest, RebuildDropsWhatOverlaps) {
  ASSERT_TRUE(table_->Insert(0, 10, 1, 0, 1));
  ASSERT_TRUE(table_->Insert(20, 30, 2, 0, 2));
  TestStore::items[1].start = 5;
  TestStore::items.push_back({40, 50, 0, 3, 3, 99, 0, 0});  // a number that is none
  table_->Rebuild(3);
  EXPECT_EQ(Remove(0, 100), (std::map<uint32_t, Gone>{{1, {10, 1}}}));
}

}  // namespace
}  // namespace heaptally::agent
