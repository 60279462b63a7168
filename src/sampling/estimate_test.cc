// Values, ends at known points, and totality. Coverage is measured in coverage_test.cc and peak_coverage_test.cc.
#include "sampling/estimate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "sampling/draw.h"

namespace heaptally::sampling {
namespace {

constexpr double kT = 524288;

// n samples of blocks much smaller than T = 1.
Moments SmallBlocks(double n) { return {0, n, n, static_cast<uint64_t>(n)}; }

Sums SumsOf(std::vector<uint64_t> sizes, uint64_t period = 524288) {
  Sums sums;
  for (uint64_t size : sizes) sums.Add(TermsOf(size, period));
  return sums;
}

bool IsOrdered(const Estimate& e) { return std::isfinite(e.lo) && std::isfinite(e.hi) && e.lo <= e.v && e.v <= e.hi; }

TEST(Estimate, EndsOfSmallBlocksInUnitsOfThePeriod) {
  const double expected[][3] = {{0, 0, 3.689},       {1, 0.0253, 5.572}, {2, 0.242, 7.225},   {3, 0.619, 8.767},
                                {10, 4.795, 18.390}, {30, 20.24, 42.83}, {100, 81.36, 121.63}};
  for (const auto& [n, lo, hi] : expected) {
    const Estimate e = EstimateBytes(SmallBlocks(n), 1);
    EXPECT_NEAR(e.lo, lo, 0.005) << n;
    EXPECT_EQ(e.v, n);
    EXPECT_NEAR(e.hi, hi, 0.005) << n;
    EXPECT_EQ(e.n, n);
    EXPECT_FALSE(e.exact);
  }
}

TEST(Estimate, ExactHasNoWidth) {
  const Estimate bytes = EstimateBytes(BytesOf(SumsOf({100, 200}, 0)), 0);
  EXPECT_TRUE(bytes.exact);
  EXPECT_EQ(bytes.lo, 300);
  EXPECT_EQ(bytes.v, 300);
  EXPECT_EQ(bytes.hi, 300);
  const Estimate objects = EstimateObjects(ObjectsOf(SumsOf({100, 200}, 0)), 0, kNoFloor);
  EXPECT_TRUE(objects.exact && objects.hi_known);
  EXPECT_EQ(objects.hi, 2);
}

TEST(Estimate, CertainBlocksProveThemselves) {
  const uint64_t size = 64 << 20;
  const Estimate e = EstimateBytes(BytesOf(SumsOf({size, size})), kT);
  EXPECT_EQ(e.lo, 2.0 * size);
  EXPECT_EQ(e.v, 2.0 * size);
  EXPECT_NEAR(e.hi, 2.0 * size + 3.6889 * kT, 100);
}

TEST(Estimate, UpperEndAllowsForOneMoreLargeBlock) {
  // Thirteen blocks of 5 T: that one was missed has a chance of 8 %.
  const double size = 5 * kT;
  const Moments m = BytesOf(SumsOf(std::vector<uint64_t>(13, static_cast<uint64_t>(size))));
  EXPECT_GE(EstimateBytes(m, kT).hi, 13 * size + size);
  EXPECT_GT(m.inferred * m.inferred / m.variance, 0.0253);
}

TEST(Estimate, ObjectsSayAtMostThatManyOfTheFloorsSize) {
  const Moments m = ObjectsOf(SumsOf({16}));
  const Estimate e = EstimateObjects(m, kT, 16);
  EXPECT_NEAR(e.v, kT / 17, 1);
  EXPECT_EQ(e.lo, 781);
  EXPECT_EQ(e.hi, 171833);
  EXPECT_EQ(e.floor_bytes, 16u);
  EXPECT_TRUE(e.hi_known);
  EXPECT_LT(EstimateObjects(m, kT, 1024).hi, e.hi);
}

TEST(Estimate, ObjectsWithoutASampleHaveNoUpperEnd) {
  const Estimate e = EstimateObjects({}, kT, kNoFloor);
  EXPECT_FALSE(e.hi_known);
  EXPECT_EQ(e.v, 0);
  EXPECT_EQ(e.hi, 0);
  EXPECT_NEAR(EstimateBytes({}, kT).hi, 3.6889 * kT, 100);
}

TEST(Estimate, AnExactImageBesideASampledOneAddsItsBytesAlone) {
  Moments both = BytesOf(SumsOf({1000}));
  const Estimate alone = EstimateBytes(both, kT);
  both.Add(BytesOf(SumsOf({5000000}, 0)));
  const Estimate e = EstimateBytes(both, kT);
  EXPECT_DOUBLE_EQ(e.hi - alone.hi, 5000000);
  EXPECT_GE(e.lo, 5001000);
  EXPECT_EQ(e.n, 2u);
}

TEST(Estimate, SumsComeOverUnchanged) {
  Sums sums = SumsOf({16, 100000});
  const double q1 = 1 / std::expm1(17 / kT), q2 = 1 / std::expm1(100001 / kT);
  const Moments bytes = BytesOf(sums), objects = ObjectsOf(sums);
  EXPECT_EQ(bytes.proven, 100016);
  EXPECT_NEAR(bytes.inferred, 16 * q1 + 100000 * q2, 1e-6);
  EXPECT_NEAR(bytes.variance, 256 * q1 * (1 + q1) + 1e10 * q2 * (1 + q2), 2);
  EXPECT_EQ(objects.proven, 2);
  EXPECT_NEAR(objects.inferred, q1 + q2, 1e-6);
  EXPECT_NEAR(objects.variance / (q1 * (1 + q1) + q2 * (1 + q2)), 1, 1e-12);
  sums.v_bytes.hi = uint64_t{1} << 63;
  EXPECT_GT(BytesOf(sums).variance, 1e38);
}

TEST(Estimate, MinusNeverFallsBelowZero) {
  const Sums a = SumsOf({16, 100000}), b = SumsOf({16});
  EXPECT_EQ(Minus(a, b), SumsOf({100000}));
  EXPECT_EQ(Minus(b, a), Sums{});
}

TEST(Estimate, HostileMomentsGiveOrderedFiniteEnds) {
  constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
  const double hostile[] = {0, 1e-300, 1e-9, 0.5, 1, 1e6, 1e18, 3.4e38, 1e300, kInf, -kInf, -1, kNan};
  for (double s : hostile) {
    for (double e : hostile) {
      for (double v : hostile) {
        for (double period : hostile) {
          const Moments m{s, e, v, 1};
          ASSERT_TRUE(IsOrdered(EstimateBytes(m, period))) << s << " " << e << " " << v << " " << period;
          ASSERT_TRUE(IsOrdered(EstimateObjects(m, period, 16))) << s << " " << e << " " << v << " " << period;
          ASSERT_TRUE(IsOrdered(EstimateObjects(m, period, kNoFloor)));
          ASSERT_TRUE(IsOrdered(EstimateBytesAtPeak(m, period)));
          ASSERT_TRUE(IsOrdered(EstimatePeakBytes(m, {v, s, e, 0}, e, period)));
          UnseenSites unseen;
          unseen.AddSite(m);
          unseen.AddSite({s, e, v, 2});
          ASSERT_TRUE(IsOrdered(unseen.Bytes(period)));
          ASSERT_TRUE(IsOrdered(unseen.Objects(period, 16)));
          const Change change = Difference(EstimateBytes(m, period), EstimateBytes({v, s, e, 1}, period));
          ASSERT_TRUE(std::isfinite(change.lo) && std::isfinite(change.hi));
          ASSERT_TRUE(change.lo <= change.v && change.v <= change.hi);
        }
      }
    }
  }
}

TEST(Estimate, HostileSumsGiveOrderedFiniteEnds) {
  Generator generator(1);
  const auto word = [&] {
    return generator.Next() % 4 == 0 ? ~uint64_t{0} : generator.Next() >> (generator.Next() & 63);
  };
  for (int i = 0; i < 20000; ++i) {
    Sums sums;
    sums.n = word();
    sums.s = word();
    for (Fixed128* field : {&sums.e_bytes, &sums.v_bytes, &sums.e_objects, &sums.v_objects}) *field = {word(), word()};
    const auto period = static_cast<double>(word());
    ASSERT_TRUE(IsOrdered(EstimateBytes(BytesOf(sums), period)));
    ASSERT_TRUE(IsOrdered(EstimateObjects(ObjectsOf(sums), period, word())));
    ASSERT_TRUE(IsOrdered(EstimateBytesAtPeak(BytesOf(AtPeak{sums, sums}), period)));
  }
}

TEST(Estimate, PeakLiesBetweenWhatWasProvenAndTheWholeSamplesUpperEnd) {
  const Moments peak = SmallBlocks(100), whole = SmallBlocks(130);
  const Estimate e = EstimatePeakBytes(peak, whole, 3, 1);
  EXPECT_EQ(e.v, 100);
  EXPECT_NEAR(e.lo, EstimateBytes({0, 100, 150, 100}, 1).lo, 1e-9);  // 1.5 V
  EXPECT_NEAR(e.hi, EstimateBytes(whole, 1).hi, 1e-9);
  EXPECT_EQ(EstimatePeakBytes(peak, whole, 95, 1).lo, 95);
  EXPECT_EQ(EstimatePeakBytes(peak, {}, 0, 1).hi, EstimateBytes(peak, 1).hi);
}

TEST(Estimate, MeanOfTheTwoMoments) {
  AtPeak at_peak{SumsOf({1001}), SumsOf({500, 700})};
  const Moments a = BytesOf(at_peak.b_at_a), b = BytesOf(at_peak.a_at_b), mean = BytesOf(at_peak);
  EXPECT_EQ(mean.proven, 1100);  // 1100.5: a whole number, the rest is inferred
  EXPECT_DOUBLE_EQ(mean.proven + mean.inferred, (a.proven + a.inferred + b.proven + b.inferred) / 2);
  EXPECT_DOUBLE_EQ(mean.variance, (a.variance + b.variance) / 4);
  EXPECT_EQ(mean.samples, 2u);
}

TEST(Estimate, UnseenSitesAreWhatSinglesInfer) {
  UnseenSites unseen;
  const Moments single = BytesOf(SumsOf({1024}));
  for (int i = 0; i < 100; ++i) unseen.AddSite(single);
  unseen.AddSite(BytesOf(SumsOf({1024, 1024, 1024})));
  unseen.AddSite(BytesOf(SumsOf({64 << 20})));
  const Estimate e = unseen.Bytes(kT);
  EXPECT_NEAR(e.v, 100 * single.inferred, 1);
  EXPECT_NEAR(e.lo, e.v - 1.959964 * std::sqrt(100 * single.variance), 100);
  EXPECT_GT(e.hi, e.v);
  EXPECT_EQ(e.n, 101u);
  EXPECT_TRUE(UnseenSites().Bytes(0).exact);
}

TEST(Estimate, ChangeOfTwoUnseenSitesIsWithinThePadOnBothSides) {
  const Estimate none = EstimateBytes({}, 1);
  const Change change = Difference(none, none);
  EXPECT_EQ(change.v, 0);
  EXPECT_NEAR(change.lo, -3.689, 0.001);
  EXPECT_NEAR(change.hi, 3.689, 0.001);
  EXPECT_FALSE(change.IsReal());
}

TEST(Estimate, ChangesAreToldFromNoise) {
  const auto of = [](double n) { return EstimateBytes(SmallBlocks(n), 1); };
  EXPECT_FALSE(Difference(of(100), of(110)).IsReal());
  EXPECT_TRUE(Difference(of(300), of(100)).IsReal());
  EXPECT_TRUE(Difference(of(100), of(300)).IsReal());
  const Change exact = Difference(EstimateBytes({5, 0, 0, 1}, 0), EstimateBytes({3, 0, 0, 1}, 0));
  EXPECT_TRUE(exact.exact && exact.IsReal());
  EXPECT_EQ(exact.lo, 2);
  EXPECT_EQ(exact.hi, 2);
}

TEST(Estimate, ChangeAgainstAnUnknownNumberHasOneEndOnly) {
  const Estimate unknown = EstimateObjects({}, kT, kNoFloor);
  const Estimate known = EstimateObjects(ObjectsOf(SumsOf(std::vector<uint64_t>(100, 1024))), kT, 1024);
  const Change grown = Difference(known, unknown), shrunk = Difference(unknown, known);
  EXPECT_TRUE(grown.hi_known && !grown.lo_known && !grown.IsReal());
  EXPECT_TRUE(shrunk.lo_known && !shrunk.hi_known && !shrunk.IsReal());
  EXPECT_EQ(grown.lo, grown.v);
}

TEST(Estimate, RankingIsByWhatIsCertain) {
  const Estimate large = EstimateBytes(BytesOf(SumsOf({8 << 20})), kT);                        // 16 T, proven
  const Estimate small = EstimateBytes(BytesOf(SumsOf(std::vector<uint64_t>(23, 1024))), kT);  // 23 T, inferred
  EXPECT_LT(large.v, small.v);
  EXPECT_TRUE(RanksBefore(large, small));
  EXPECT_FALSE(RanksBefore(small, large));
  EXPECT_FALSE(RanksBefore(large, large));
  EXPECT_TRUE(RanksBefore({2, 1, 3}, {1, 1, 3}));
}

}  // namespace
}  // namespace heaptally::sampling
