#include "symbols/range_map.h"

#include <gtest/gtest.h>

#include <random>

namespace heaptally::symbols {
namespace {

TEST(RangeMap, EmptyKnowsNothing) {
  RangeMap map;
  map.Add(5, 5, 1);
  map.Add(9, 3, 2);
  map.Build();
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.Find(5), RangeMap::kNone);
}

TEST(RangeMap, TheInnermostWinsAndTheOuterReturns) {
  RangeMap map;
  map.Add(10, 100, 1);
  map.Add(20, 30, 2);
  map.Add(22, 25, 3);
  map.Build();
  EXPECT_EQ(map.Find(9), RangeMap::kNone);
  EXPECT_EQ(map.Find(10), 1u);
  EXPECT_EQ(map.Find(21), 2u);
  EXPECT_EQ(map.Find(24), 3u);
  EXPECT_EQ(map.Find(25), 2u);
  EXPECT_EQ(map.Find(30), 1u);
  EXPECT_EQ(map.Find(99), 1u);
  EXPECT_EQ(map.Find(100), RangeMap::kNone);
}

TEST(RangeMap, OfEqualRangesTheFirstWins) {
  RangeMap map;
  map.Add(1, 9, 7);
  map.Add(1, 9, 8);
  map.Build();
  EXPECT_EQ(map.Find(4), 7u);
}

TEST(RangeMap, TheEndsOfTheAddressSpace) {
  RangeMap map;
  map.Add(0, 1, 1);
  map.Add(UINT64_MAX - 1, UINT64_MAX, 2);
  map.Build();
  EXPECT_EQ(map.Find(0), 1u);
  EXPECT_EQ(map.Find(UINT64_MAX - 1), 2u);
  EXPECT_EQ(map.Find(UINT64_MAX), RangeMap::kNone);
}

// Against the definition, by search: the range that starts last; then the shorter; then the one added first.
TEST(RangeMap, RandomRangesAgreeWithASearch) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    struct Range {
      uint64_t low, high;
    };
    std::vector<Range> ranges;
    RangeMap map;
    for (uint32_t i = 0; i < 20; ++i) {
      const uint64_t low = random() % 50;
      ranges.push_back({low, low + random() % 20});
      map.Add(low, ranges[i].high, i);
    }
    map.Build();
    for (uint64_t at = 0; at < 75; ++at) {
      uint32_t best = RangeMap::kNone;
      for (uint32_t i = 0; i < ranges.size(); ++i) {
        if (at < ranges[i].low || at >= ranges[i].high) continue;
        if (best == RangeMap::kNone || ranges[i].low > ranges[best].low ||
            (ranges[i].low == ranges[best].low && ranges[i].high < ranges[best].high)) {
          best = i;
        }
      }
      EXPECT_EQ(map.Find(at), best) << "round " << round << " at " << at;
    }
  }
}

}  // namespace
}  // namespace heaptally::symbols
