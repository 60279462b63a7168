#include "analysis/histograms.h"

#include <gtest/gtest.h>

#include "profile/estimates.h"

namespace heaptally::analysis {
namespace {

using profile::Bucket;
using profile::ExactAmount;

Bucket Class(uint64_t from, uint64_t objects) { return {from, 2 * from - 1, ExactAmount(objects)}; }

TEST(HistogramsTest, SitesAddUpByRange) {
  std::vector<Bucket> sum;
  AddHistogram({Class(64, 1), Class(16, 2)}, &sum);
  AddHistogram({Class(64, 10)}, &sum);
  ASSERT_EQ(sum.size(), 2u);
  EXPECT_EQ(sum[0].from, 16u);
  EXPECT_EQ(sum[1].objects.proven, 11u);
}

TEST(HistogramsTest, EmptyClassesBetweenOthersAreThere) {
  const auto filled = WithoutGaps({Class(16, 1), Class(128, 2)});
  ASSERT_EQ(filled.size(), 4u);
  EXPECT_EQ(filled[1].from, 32u);
  EXPECT_EQ(filled[2].to, 127u);
  EXPECT_EQ(WithoutGaps({{0, 0, ExactAmount(1)}, Class(1, 2), Class(uint64_t{1} << 63, 1)}).size(), 65u);
}

TEST(HistogramsTest, LifetimesFallIntoDecades) {
  const auto decades = LifetimeDecades({{0, 90, ExactAmount(1)},
                                        {1024, 2047, ExactAmount(2)},
                                        {900, 1300, ExactAmount(4)},
                                        {8'000'000'000, 16'000'000'000, ExactAmount(8)},
                                        {1ull << 60, 1ull << 61, ExactAmount(16)}});
  EXPECT_EQ(decades, (std::vector<double>{1, 6, 0, 0, 0, 0, 0, 0, 24}));
}

TEST(HistogramsTest, TheSizesThatMatterAreFew) {
  const auto two = MainSizes({Class(16, 2), Class(64, 62), Class(4096, 31), Class(8192, 5)});
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].from, 64u);
  EXPECT_NEAR(two[0].share, 0.62, 1e-9);
  EXPECT_EQ(two[1].from, 4096u);
  const auto touching = MainSizes({Class(64, 30), Class(128, 60), Class(1024, 1)});
  ASSERT_EQ(touching.size(), 1u);
  EXPECT_EQ(touching[0].to, 255u);
  EXPECT_TRUE(MainSizes({Class(16, 5), Class(64, 5), Class(256, 5), Class(1024, 5), Class(4096, 5)}).empty());
  EXPECT_TRUE(MainSizes({}).empty());
}

}  // namespace
}  // namespace heaptally::analysis
