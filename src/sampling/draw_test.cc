#include "sampling/draw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "sampling/halves.h"

namespace heaptally::sampling {
namespace {

long double ToLongDouble(Uint128 value) {
  return std::ldexp(static_cast<long double>(static_cast<uint64_t>(value >> 64)), -56) +
         std::ldexp(static_cast<long double>(static_cast<uint64_t>(value)), -120);
}

// Good to the last bit of 80: near 1 through the distance to 1.
long double ExactNegativeLog(uint64_t numerator) {
  if (numerator >> 63 == 0) return -std::log(std::ldexp(static_cast<long double>(numerator), -64));
  return -std::log1p(-std::ldexp(static_cast<long double>(-numerator), -64));
}

TEST(Draw, NegativeLogAgreesWithLibm) {
  Generator generator(1);
  long double worst = 0;
  for (int i = 0; i < 500000; ++i) {
    uint64_t numerator = generator.Next() >> (generator.Next() & 63);
    if (i % 2 == 1) numerator = ~numerator;  // near 1
    if (numerator == 0) continue;
    worst = std::max(worst, std::fabs(ToLongDouble(NegativeLog(numerator)) / ExactNegativeLog(numerator) - 1));
  }
  EXPECT_LT(worst, std::ldexp(1.0L, -54));
}

TEST(Draw, NegativeLogAtTheSeams) {
  for (int bit = 0; bit < 64; ++bit) {
    for (uint64_t step = 16; step < 32; ++step) {  // every change of factor, and the largest and smallest arguments
      const uint64_t seam = bit >= 4 ? step << (bit - 4) : step >> (4 - bit);
      for (uint64_t numerator : {seam - 1, seam, seam + 1, ~uint64_t{0}}) {
        if (numerator == 0) continue;
        ASSERT_NEAR(ToLongDouble(NegativeLog(numerator)) / ExactNegativeLog(numerator), 1, 1e-16L) << numerator;
      }
    }
  }
}

TEST(Draw, CountdownIsTheFloorOfThePeriodTimesTheLogarithm) {
  for (uint64_t period : {uint64_t{1}, uint64_t{65536}, uint64_t{524287}, kMaxPeriod}) {
    Generator generator(2), same(2);
    for (int i = 0; i < 20000; ++i) {
      const long double exact = ExactNegativeLog(same.Next() | 1) * static_cast<long double>(period);
      const auto countdown = static_cast<long double>(DrawCountdown(generator, period));
      ASSERT_GT(countdown, exact * (1 - 1e-15L) - 1);
      ASSERT_LE(countdown, exact * (1 + 1e-15L));
    }
  }
}

TEST(Draw, StaysBelowTwoToThe62) {
  // The smallest U is 2^-64, whatever the generator gives.
  EXPECT_LT(std::ldexp(ToLongDouble(NegativeLog(1)), 40), std::ldexp(1.0L, 62));
  Generator generator(3);
  EXPECT_LT(DrawCountdown(generator, ~uint64_t{0}), uint64_t{1} << 62);
  DrawCountdown(generator, 0);  // taken as 1
}

// An allocation of s bytes is a sample with probability 1 - exp(-(s+1)/T). Normal test, fixed seed, 4.5 sigma.
TEST(Draw, ProbabilityOfASampleIsExactToTheByte) {
  constexpr int kDraws = 400000;
  for (uint64_t period : {uint64_t{2}, uint64_t{10}, uint64_t{65536}}) {
    for (uint64_t size : {uint64_t{0}, uint64_t{1}, period / 4, period, 3 * period}) {
      Generator generator(size + 1);
      int samples = 0;
      for (int i = 0; i < kDraws; ++i) {
        const auto rest = static_cast<int64_t>(DrawCountdown(generator, period)) - static_cast<int64_t>(size + 1);
        samples += rest < 0;
      }
      const double p = -std::expm1(-static_cast<double>(size + 1) / static_cast<double>(period));
      EXPECT_NEAR(samples, kDraws * p, 4.5 * std::sqrt(kDraws * p * (1 - p)) + 1) << period << " " << size;
    }
  }
}

// Pieces of one sum: the countdown has no memory, so the probability of a run of blocks is that of its debits.
TEST(Draw, CountdownHasNoMemory) {
  constexpr int kRuns = 200000;
  Generator generator(7);
  int64_t countdown = static_cast<int64_t>(DrawCountdown(generator, 100));
  int samples = 0;
  for (int i = 0; i < kRuns; ++i) {
    if ((countdown -= 11) >= 0) continue;
    ++samples;
    countdown = static_cast<int64_t>(DrawCountdown(generator, 100));
  }
  const double p = -std::expm1(-0.11);
  EXPECT_NEAR(samples, kRuns * p, 4.5 * std::sqrt(kRuns * p * (1 - p)));
}

// Values from splitmix64 and a 50-digit logarithm, computed apart from this code.
TEST(Draw, SameSeedSameNumbersOnEveryMachine) {
  Generator generator(42);
  EXPECT_EQ(generator.Next(), 0x57e1faba65107204u);
  EXPECT_EQ(DrawCountdown(generator, 524288), 23730u);
  EXPECT_EQ(DrawCountdown(generator, 524288), 377921u);
  EXPECT_EQ(DrawCountdown(generator, kMaxPeriod), 2966191205898u);
}

TEST(Halves, EachHalfIsASampleOfTwiceThePeriodAndTheyAreIndependent) {
  constexpr int kDraws = 400000;
  constexpr uint64_t kPeriod = 65536;
  for (uint64_t size : {uint64_t{16}, kPeriod / 2, kPeriod, 4 * kPeriod, 20 * kPeriod, 1000 * kPeriod}) {
    Generator generator(size);
    int count[4] = {};
    for (int i = 0; i < kDraws; ++i) ++count[static_cast<int>(AssignHalves(generator, size, kPeriod))];
    const double x = static_cast<double>(size + 1) / kPeriod;
    const double p = -std::expm1(-x), half = -std::expm1(-x / 2);
    const double both = half * half / p, one = half * (1 - half) / p;
    EXPECT_EQ(count[0], 0);
    EXPECT_NEAR(count[1], kDraws * one, 4.5 * std::sqrt(kDraws * one) + 1) << size;
    EXPECT_NEAR(count[2], kDraws * one, 4.5 * std::sqrt(kDraws * one) + 1) << size;
    EXPECT_NEAR(count[3], kDraws * both, 4.5 * std::sqrt(kDraws * both * (1 - both)) + 1) << size;
  }
}

TEST(Halves, HostileArgumentsAreTotal) {
  Generator generator(1);
  EXPECT_EQ(AssignHalves(generator, 16, 0), HalfMembership::kBoth);
  EXPECT_EQ(AssignHalves(generator, ~uint64_t{0}, 1), HalfMembership::kBoth);
  const HalfMembership halves = AssignHalves(generator, 0, ~uint64_t{0});
  EXPECT_TRUE(IsIn(halves, 0) || IsIn(halves, 1));
}

}  // namespace
}  // namespace heaptally::sampling
