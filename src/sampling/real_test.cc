// Against 80-bit libm, whose error (2^-64) is far below the bounds under test.
#include "sampling/real.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sampling/draw.h"

namespace heaptally::sampling {
namespace {

long double ToLongDouble(Real x) { return std::ldexp(static_cast<long double>(x.mantissa), x.exponent); }

// A uniform number of a uniform number of bits: all magnitudes.
uint64_t AnyMagnitude(Generator& generator) {
  const int shift = static_cast<int>(generator.Next() & 63);
  return std::max<uint64_t>(1, generator.Next() >> shift);
}

TEST(Real, DivideWideIsTheIntegerQuotient) {
  Generator generator(1);
  for (int i = 0; i < 200000; ++i) {
    const uint64_t divisor = (i % 3 == 0 ? ~AnyMagnitude(generator) : generator.Next()) | uint64_t{1} << 63;
    const uint64_t high = (i % 2 == 0 ? generator.Next() : divisor - AnyMagnitude(generator) % divisor) % divisor;
    const uint64_t low = i % 5 == 0 ? ~AnyMagnitude(generator) : generator.Next();
    const Uint128 dividend = (static_cast<Uint128>(high) << 64) | low;
    ASSERT_EQ(DivideWide(high, low, divisor), static_cast<uint64_t>(dividend / divisor)) << high << " " << low;
  }
}

TEST(Real, ArithmeticIsGoodTo61Bits) {
  Generator generator(2);
  long double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    const uint64_t a = AnyMagnitude(generator), b = AnyMagnitude(generator);
    const long double x = a, y = b;
    worst = std::max(worst, std::fabs(ToLongDouble(MakeReal(a) * MakeReal(b)) / (x * y) - 1));
    worst = std::max(worst, std::fabs(ToLongDouble(MakeReal(a) / MakeReal(b)) / (x / y) - 1));
    worst = std::max(worst, std::fabs(ToLongDouble(MakeReal(a) + MakeReal(b)) / (x + y) - 1));
  }
  EXPECT_LT(worst, std::ldexp(1.0L, -61));
  EXPECT_EQ((MakeReal(0) + MakeReal(7)).mantissa, MakeReal(7).mantissa);
  EXPECT_EQ((MakeReal(0) / MakeReal(7)).mantissa, 0u);
}

TEST(Real, ToFixedRoundsToTheNearestAndSaturates) {
  EXPECT_EQ(ToFixed(MakeReal(5), 0), 5u);
  EXPECT_EQ(ToFixed(MakeReal(5), 3), 40u);
  EXPECT_EQ(ToFixed(MakeReal(5, -1), 0), 3u);  // 2.5
  EXPECT_EQ(ToFixed(MakeReal(9, -2), 0), 2u);  // 2.25
  EXPECT_EQ(ToFixed(MakeReal(1, -1), 0), 1u);  // 0.5
  EXPECT_EQ(ToFixed(MakeReal(~uint64_t{0}, -66), 0), 0u);
  EXPECT_EQ(ToFixed(MakeReal(1, 127), 0), static_cast<Uint128>(1) << 127);
  EXPECT_EQ(ToFixed(MakeReal(1, 128), 0), ~static_cast<Uint128>(0));
  EXPECT_EQ(ToFixed(MakeReal(1, 100), 100), ~static_cast<Uint128>(0));
  EXPECT_EQ(ToFixed(MakeReal(1, -1000), 32), 0u);
}

TEST(Real, Expm1AgreesWithLibm) {
  Generator generator(3);
  long double worst = 0;
  for (int i = 0; i < 500000; ++i) {
    const uint64_t a = AnyMagnitude(generator), b = AnyMagnitude(generator);
    if (a / 128 >= b) continue;
    const long double exact = std::expm1(static_cast<long double>(a) / static_cast<long double>(b));
    worst = std::max(worst, std::fabs(ToLongDouble(Expm1(MakeReal(a) / MakeReal(b))) / exact - 1));
  }
  EXPECT_LT(worst, std::ldexp(1.0L, -54));
}

TEST(Real, Expm1AtMultiplesOfLn2) {
  for (int k = 1; k <= 184; ++k) {
    const long double near = static_cast<long double>(k) * std::log(2.0L);
    for (int step = -3; step <= 3; ++step) {
      int exponent;
      const long double x = std::frexp(near, &exponent) + std::ldexp(static_cast<long double>(step), -64);
      const Real real = MakeReal(static_cast<uint64_t>(std::ldexp(x, 64)), exponent - 64);
      ASSERT_NEAR(ToLongDouble(Expm1(real)) / std::expm1(ToLongDouble(real)), 1, 1e-16L) << k << " " << step;
    }
  }
}

}  // namespace
}  // namespace heaptally::sampling
