#include "sampling/charges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "sampling/draw.h"
#include "sampling/estimate.h"
#include "sampling/terms.h"

namespace heaptally::sampling {
namespace {

double ChanceOf(uint64_t charge) { return -std::expm1(-static_cast<double>(charge) / static_cast<double>(kChargeUnit)); }

TEST(Charges, OneInNHasTheChanceOneInN) {
  for (const uint64_t calls : {2ull, 3ull, 10ull, 1000ull, 1000000ull, 1ull << 30}) {
    EXPECT_NEAR(ChanceOf(ChargeOf(calls)) * static_cast<double>(calls), 1, 2e-3 / std::sqrt(1e12 / calls)) << calls;
  }
  EXPECT_EQ(ChargeOf(1), kCertainCharge);
  EXPECT_EQ(ChargeOf(0), kCertainCharge);
}

TEST(Charges, ClassesArePowersOfTwo) {
  EXPECT_EQ(SizeClassOf(0), 0u);
  EXPECT_EQ(SizeClassOf(1), 1u);
  EXPECT_EQ(SizeClassOf(16), 5u);
  EXPECT_EQ(SizeClassOf(31), 5u);
  EXPECT_EQ(SizeClassOf(32), 6u);
  EXPECT_EQ(SizeClassOf(~uint64_t{0}), 64u);
}

// A program: sizes with their weights, in turn by a generator of its own.
struct Kind {
  uint64_t size;
  uint64_t weight;  // of 2^20
};
constexpr std::array<Kind, 6> kProgram = {
    {{24, 600000}, {100, 300000}, {1000, 100000}, {9000, 40000}, {100000, 8000}, {3000000, 576}}};

struct Outcome {
  Moments bytes, objects;
  double true_bytes = 0, true_objects = 0;
  std::array<uint64_t, kSizeClasses> samples = {};
  LargestPart part;
};

Outcome RunProgram(uint64_t seed, uint64_t calls, uint64_t period, bool per_class, uint64_t changed_period = 0) {
  Outcome out;
  Generator program(seed), generator(seed + 0x123456789);
  ClassCharges charges;
  charges.Start(period, per_class);
  uint64_t least[kSizeClasses];
  for (uint32_t i = 0; i < kSizeClasses; ++i) least[i] = charges.charge[i];
  auto left = static_cast<int64_t>(DrawCountdown(generator, kChargeUnit));
  Sums sums;
  for (uint64_t call = 0; call < calls; ++call) {
    uint64_t at = program.Next() >> 44;
    uint32_t kind = 0;
    while (kind + 1 < kProgram.size() && at >= kProgram[kind].weight) at -= kProgram[kind++].weight;
    const uint64_t size = kProgram[kind].size;
    out.true_bytes += static_cast<double>(size);
    out.true_objects += 1;
    if (changed_period != 0 && call == calls / 2) charges.SetPeriod(changed_period);
    const uint32_t size_class = SizeClassOf(size);
    const uint64_t debit = charges.charge[size_class];
    left -= static_cast<int64_t>(debit);
    if (left >= 0) continue;
    left = static_cast<int64_t>(DrawCountdown(generator, kChargeUnit));
    ++out.samples[size_class];
    sums.Add(TermsOf(size, Odds{debit, kChargeUnit}));
    charges.Learn(size_class, debit);
    for (uint32_t i = 0; i < kSizeClasses; ++i) least[i] = std::min(least[i], charges.charge[i]);
  }
  out.bytes = BytesOf(sums);
  out.objects = ObjectsOf(sums);
  out.part = LargestPartOf(least);
  return out;
}

TEST(Charges, EachClassGetsAboutAsManySamplesAndARareOneIsWhole) {
  const Outcome out = RunProgram(1, 4000000, 1000, true);
  uint64_t all = 0;
  for (const uint64_t samples : out.samples) all += samples;
  for (const uint64_t size : {24ull, 100ull, 1000ull, 9000ull, 100000ull}) {
    EXPECT_GT(out.samples[SizeClassOf(size)], all / 6 / 2) << size;
    EXPECT_LT(out.samples[SizeClassOf(size)], all / 6 * 2) << size;
  }
  // 2,200 of the largest came: more than their part of 4,000 / 6, which is what they fill.
  EXPECT_GT(out.samples[SizeClassOf(3000000)], all / 6 / 2);
  // One in 1,000 calls, and what it takes at the start to learn how frequent they are.
  EXPECT_GT(all, 3600u);
  EXPECT_LT(all, 4000u + 2500);
}

struct Coverage {
  double bytes = 0, objects = 0, bytes_bias = 0, objects_bias = 0;
};

Coverage Cover(int runs, uint64_t calls, uint64_t period, bool per_class, uint64_t changed_period = 0) {
  Coverage out;
  for (int run = 0; run < runs; ++run) {
    const Outcome one = RunProgram(static_cast<uint64_t>(run) * 7919 + 5, calls, period, per_class, changed_period);
    const Estimate bytes = EstimateBytes(one.bytes, one.part.bytes);
    const Estimate objects = EstimateObjectsAlike(one.objects, one.part.objects);
    EXPECT_LE(objects.lo, objects.v);
    EXPECT_LE(objects.v, objects.hi);
    out.bytes += bytes.lo <= one.true_bytes && one.true_bytes <= bytes.hi ? 1.0 / runs : 0;
    out.objects += objects.lo <= one.true_objects && one.true_objects <= objects.hi ? 1.0 / runs : 0;
    out.bytes_bias += (bytes.v / one.true_bytes - 1) / runs;
    out.objects_bias += (objects.v / one.true_objects - 1) / runs;
  }
  return out;
}

TEST(ChargesCoverage, CountedCallsAreUnbiasedAndCovered) {
  const Coverage out = Cover(4000, 20000, 200, false);  // 100 samples
  EXPECT_NEAR(out.objects_bias, 0, 4 * 0.1 / std::sqrt(4000));
  EXPECT_GE(out.objects, 0.94);
  EXPECT_LE(out.objects, 0.975);
}

TEST(ChargesCoverage, BytesAndCallsByClassAreUnbiasedAndCovered) {
  const Coverage out = Cover(4000, 40000, 200, true);
  RecordProperty("bytes", std::to_string(out.bytes));
  EXPECT_NEAR(out.objects_bias, 0, 0.012);
  EXPECT_NEAR(out.bytes_bias, 0, 0.012);
  EXPECT_GE(out.objects, 0.94);
  EXPECT_LE(out.objects, 0.985);
  EXPECT_GE(out.bytes, 0.94);
  // The pad is the largest block of the class that was sampled most thinly: wide with few samples, little with many.
  EXPECT_LE(out.bytes, 0.995);
  const Coverage many = Cover(800, 300000, 200, true);
  EXPECT_NEAR(many.bytes_bias, 0, 0.006);
  EXPECT_GE(many.bytes, 0.93);
  EXPECT_LE(many.bytes, 0.985);
  std::printf("with 1,500 samples: bytes %.4f %+.4f, calls %.4f\n", many.bytes, many.bytes_bias, many.objects);
  std::printf("per-class: bytes %.4f bias %+.4f, calls %.4f bias %+.4f\n", out.bytes, out.bytes_bias, out.objects, out.objects_bias);
}

TEST(ChargesCoverage, ThePeriodMayChangeWhileSamplesAreTaken) {
  for (const bool per_class : {false, true}) {
    const Coverage out = Cover(2000, 20000, 400, per_class, 50);
    EXPECT_NEAR(out.objects_bias, 0, 0.016) << per_class;
    EXPECT_GE(out.objects, 0.935) << per_class;
    EXPECT_TRUE(!per_class || out.bytes >= 0.935) << out.bytes;
    std::printf("changed (%d): bytes %.4f %+.4f, calls %.4f %+.4f\n", per_class, out.bytes, out.bytes_bias, out.objects, out.objects_bias);
  }
}

}  // namespace
}  // namespace heaptally::sampling
