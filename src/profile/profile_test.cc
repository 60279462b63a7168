#include "profile/profile.h"

#include <gtest/gtest.h>

#include "profile/estimates.h"
#include "profile/loss_reasons.h"

namespace heaptally::profile {
namespace {

Site ExactSite(uint64_t allocated, uint64_t freed, const char* memory_class = "malloc") {
  Site site;
  site.memory_class = memory_class;
  site.measures.allocated = {ExactAmount(allocated), ExactAmount(allocated * 10)};
  site.measures.freed = {ExactAmount(freed), ExactAmount(freed * 10)};
  site.measures.live = {ExactAmount(allocated - freed), ExactAmount((allocated - freed) * 10)};
  return site;
}

TEST(Profile, TotalsAreSumsWithoutMappedMemory) {
  Profile profile;
  profile.sites = {ExactSite(10, 3), ExactSite(5, 5), ExactSite(100, 0, "mapped"), ExactSite(1, 0, "pool")};
  SumTotals(&profile);
  EXPECT_EQ(profile.totals.allocated.objects.proven, 16u);
  EXPECT_EQ(profile.totals.live.bytes.proven, 80u);
  EXPECT_TRUE(IsExact(profile.totals));
}

TEST(Profile, SumsTwiceAreTheSameAndKeepThePeakOfTheWhole) {
  Profile profile;
  profile.mode = "bytes";
  profile.period_bytes = 1 << 19;
  profile.totals.peak_whole.bytes = {100, 5, 6, 7};
  profile.totals.peak_most_proven = 90;
  profile.sites = {ExactSite(10, 3)};
  SumTotals(&profile);
  SumTotals(&profile);
  EXPECT_EQ(profile.totals.peak_whole.bytes.proven, 100u);
  EXPECT_EQ(profile.totals.peak_most_proven, 90u);
  EXPECT_EQ(profile.totals.allocated.objects.proven, 10u);
  EXPECT_EQ(profile.totals.period, 1 << 19);
}

TEST(Estimates, ASumOfSamplesKeepsItsThreePartsAndGetsAnInterval) {
  sampling::Sums sums;
  for (int i = 0; i < 100; ++i) sums.Add(sampling::TermsOf(1000, 512 << 10));
  Measures measures;
  measures.period = 512 << 10;
  measures.floor_bytes = 1000;
  measures.live = VolumeOf(sums);
  EXPECT_EQ(measures.live.bytes.proven, 100'000u);
  EXPECT_EQ(measures.live.objects.samples, 100u);
  const auto bytes = BytesEstimate(measures, measures.live.bytes);
  EXPECT_NEAR(bytes.v, 100 * 512 * 1024, 60'000);  // statistics.md: 100 samples are [81.4, 121.6] T
  EXPECT_NEAR(bytes.lo / (512 << 10), 81.4, 0.2);
  EXPECT_NEAR(bytes.hi / (512 << 10), 121.6, 0.2);
  const auto objects = ObjectsEstimate(measures, measures.live.objects);
  EXPECT_TRUE(objects.hi_known);
  EXPECT_EQ(objects.floor_bytes, 1000u);
  measures.floor_bytes = UINT64_MAX;
  EXPECT_FALSE(ObjectsEstimate(measures, measures.live.objects).hi_known);
}

TEST(Loss, EveryReasonHasASentenceAndUnknownOnesAreShownAsTheyAre) {
  EXPECT_NE(LossSentence("lost-release"), "lost-release");
  EXPECT_EQ(LossSentence("from-the-future"), "from-the-future");
}

}  // namespace
}  // namespace heaptally::profile
