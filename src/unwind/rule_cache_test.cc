#include "unwind/rule_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <unordered_map>

namespace heaptally::unwind {
namespace {

constexpr uint32_t kRuleMask = (1u << kPackedBits) - 1;

class RuleCacheTest : public testing::TestWithParam<size_t> {
 protected:
  RuleCacheTest() : memory_(new std::atomic<uint64_t>[GetParam() / 8]()) { cache_.Use(memory_.get(), GetParam()); }

  void Insert(uint64_t key, uint32_t packed) { cache_.Insert(key, packed, cache_.generation()); }
  uint32_t Find(uint64_t key) const { return static_cast<uint32_t>(cache_.Find(key)) & kRuleMask; }

  std::unique_ptr<std::atomic<uint64_t>[]> memory_;
  RuleCache cache_;
};

TEST_P(RuleCacheTest, FindsNothingWhenEmpty) {
  for (const uint64_t key : {uint64_t{0}, uint64_t{1}, uint64_t{0x401000}, kAddressLimit - 1}) EXPECT_EQ(Find(key), 0u);
}

// Many more keys than room: what is found must be what was put there for this very key.
TEST_P(RuleCacheTest, NeverGivesTheRuleOfAnotherKey) {
  std::mt19937_64 random(3);
  std::unordered_map<uint64_t, uint32_t> truth;
  for (int i = 0; i < 150000; ++i) {
    const uint64_t key = random() % kAddressLimit;
    const auto packed = static_cast<uint32_t>(random() & kRuleMask) | 1;
    Insert(key, packed);
    truth[key] = packed;
    ASSERT_EQ(Find(key), packed);
  }
  size_t found = 0;
  for (const auto& [key, packed] : truth) {
    const uint32_t result = Find(key);
    ASSERT_TRUE(result == 0 || result == packed);
    found += result != 0;
  }
  EXPECT_GT(found, std::min(truth.size(), GetParam() / 8) / 2);
}

TEST_P(RuleCacheTest, IsAssociative) {
  std::mt19937_64 random(5);
  Insert(1, 9);
  int survivors = 0;
  for (int i = 0; i < 1000; ++i) {
    Insert(2 + random() % 100000, 17);
    survivors += Find(1) == 9;
  }
  EXPECT_GT(survivors, 900) << "a thousand other keys in thousands of sets of four must rarely push one out";
}

TEST_P(RuleCacheTest, ForgetsAllAndNeverServesARuleFoundBefore) {
  const uint32_t before = cache_.generation();
  Insert(0x401000, 9);
  cache_.Forget();
  EXPECT_EQ(Find(0x401000), 0u);
  cache_.Insert(0x401000, 9, before);  // a thread that had looked up before the rules were forgotten
  EXPECT_EQ(Find(0x401000), 0u);
  Insert(0x401000, 17);
  EXPECT_EQ(Find(0x401000), 17u);
}

TEST_P(RuleCacheTest, ForgetsWhenTheGenerationsWrapToo) {
  for (int i = 0; i < 40; ++i) {
    Insert(0x500000, 9);
    cache_.Forget();
    for (int j = 0; j < i; ++j) cache_.Forget();
    ASSERT_EQ(Find(0x500000), 0u) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, RuleCacheTest, testing::Values(RuleCache::kMinBytes, size_t{1} << 20));

TEST(RuleCache, IsEmptyWithoutMemory) {
  RuleCache cache;
  cache.Insert(1, 9, 0);
  EXPECT_EQ(cache.Find(1), 0u);
  cache.Forget();
}

}  // namespace
}  // namespace heaptally::unwind
