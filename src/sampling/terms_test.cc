#include "sampling/terms.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <vector>

#include "sampling/draw.h"
#include "sampling/halves.h"

namespace heaptally::sampling {
namespace {

// Computed with 60 decimal digits (mpmath): s q 2^32, s^2 q/p, q 2^32, q/p 2^32, rounded to the nearest.
struct Known {
  uint64_t size, period;
  Fixed128 term[4];
};
constexpr Known kKnown[] = {
    {0, 65536, {{0x0u, 0x0u}, {0x0u, 0x0u}, {0xffff80001555u, 0x0u}, {0xffffffffeaaaaaabu, 0x0u}}},
    {1, 1, {{0x28118a4du, 0x0u}, {0x0u, 0x0u}, {0x28118a4du, 0x0u}, {0x2e5706b9u, 0x0u}}},
    {16,
     524288,
     {{0x7877f878a5cddu, 0x0u}, {0x38b129a205u, 0x0u}, {0x7877f878a5ceu, 0x0u}, {0x38b129a2053db62fu, 0x0u}}},
    {1024, 65536, {{0xfdc165a65061u, 0x0u}, {0xff7eda9cu, 0x0u}, {0x3f70596994u, 0x0u}, {0xff7eda9bc14u, 0x0u}}},
    {65535, 65536, {{0x94fbd7ee9cb1u, 0x0u}, {0xebaf6c60u, 0x0u}, {0x94fc6cebu, 0x0u}, {0xebb143c1u, 0x0u}}},
    {524288, 524288, {{0x4a7e27ba728feu, 0x0u}, {0x3aec410025u, 0x0u}, {0x94fc4f75u, 0x0u}, {0xebb10401u, 0x0u}}},
    {1048576, 524288, {{0x28118481fafb9u, 0x0u}, {0x2e56ff1d77u, 0x0u}, {0x28118482u, 0x0u}, {0x2e56ff1du, 0x0u}}},
    {8388608, 524288, {{0xf1aac16au, 0x0u}, {0x78d562u, 0x0u}, {0x1e3u, 0x0u}, {0x1e3u, 0x0u}}},
    {67108864, 524288, {{0x0u, 0x0u}, {0x0u, 0x0u}, {0x0u, 0x0u}, {0x0u, 0x0u}}},
    {0,
     1099511627776,
     {{0x0u, 0x0u}, {0x0u, 0x0u}, {0xffffffff80000000u, 0xffu}, {0xffffffffeaaaaaabu, 0xffffffffffffu}}},
    {1099511627776,
     1099511627776,
     {{0xfc6ceb08b03c919bu, 0x94u}, {0x43c167cc44aedb31u, 0xebb1u}, {0x94fc6cebu, 0x0u}, {0xebb143c1u, 0x0u}}},
    {32985348833280, 1099511627776, {{0x3162e56d0u, 0x0u}, {0x5c996e2c6627u, 0x0u}, {0x0u, 0x0u}, {0x0u, 0x0u}}},
    {100, 3, {{0x0u, 0x0u}, {0x0u, 0x0u}, {0x0u, 0x0u}, {0x0u, 0x0u}}},
};

// At most one unit in the last place or 2^-54 of the value.
void ExpectClose(Fixed128 got, Fixed128 want, const Known& known, int term) {
  const Uint128 a = got.Value(), b = want.Value();
  EXPECT_LE(a > b ? a - b : b - a, (b >> 54) + 1) << known.size << " " << known.period << " term " << term;
}

TEST(Terms, AgreeWithSixtyDigits) {
  for (const Known& known : kKnown) {
    const Terms terms = TermsOf(known.size, known.period);
    EXPECT_EQ(terms.n, 1u);
    EXPECT_EQ(terms.s, known.size);
    ExpectClose(terms.e_bytes, known.term[0], known, 0);
    ExpectClose(terms.v_bytes, known.term[1], known, 1);
    ExpectClose(terms.e_objects, known.term[2], known, 2);
    ExpectClose(terms.v_objects, known.term[3], known, 3);
  }
}

TEST(Terms, ExactModeInfersNothing) {
  Sums expected;
  expected.n = 1;
  expected.s = 77;
  EXPECT_EQ(TermsOf(77, 0), expected);
}

TEST(Terms, StayWithinTheirBoundsForAnyArguments) {
  Generator generator(1);
  for (int i = 0; i < 200000; ++i) {
    const uint64_t size = generator.Next() >> (generator.Next() & 63);
    const uint64_t period = generator.Next() >> (generator.Next() & 63);
    const Terms terms = TermsOf(size, period);
    const Uint128 t = std::min(period, 2 * kMaxPeriod);
    ASSERT_LE(terms.e_bytes.Value(), t << 32);
    ASSERT_LE(terms.v_bytes.Value(), t * t);
    ASSERT_LE(terms.e_objects.Value(), t << 32);
    ASSERT_LE(terms.v_objects.Value(), (t * t + t) << 32);
  }
  TermsOf(~uint64_t{0}, ~uint64_t{0});
}

TEST(Terms, NoSumOverflowsWith2To40Samples) {
  constexpr uint64_t kPeriod = uint64_t{256} << 20;
  const Uint128 most = ~static_cast<Uint128>(0) >> 40;
  for (uint64_t size : {uint64_t{0}, uint64_t{1}, kPeriod / 2, kPeriod, 2 * kPeriod}) {
    const Terms terms = TermsOf(size, kPeriod);
    EXPECT_LE(terms.e_bytes.Value(), most);
    EXPECT_LE(terms.v_bytes.Value(), most);
    EXPECT_LE(terms.e_objects.Value(), most);
    EXPECT_LE(terms.v_objects.Value(), most);
  }
}

TEST(Terms, FreesTakeBackEveryBitInAnyOrder) {
  Generator generator(2);
  std::vector<Terms> live;
  Sums sums;
  for (int i = 0; i < 100000; ++i) {
    if (live.empty() || generator.Next() % 2 == 0) {
      live.push_back(TermsOf(generator.Next() >> (20 + generator.Next() % 44),
                             1 + (generator.Next() >> (24 + generator.Next() % 40))));
      sums.Add(live.back());
    } else {
      std::swap(live[generator.Next() % live.size()], live.back());
      sums.Subtract(live.back());
      live.pop_back();
    }
  }
  for (const Terms& terms : live) sums.Subtract(terms);
  EXPECT_EQ(sums, Sums{});
}

// The program's rounding mode is its own business: a thread that allocates may round otherwise than one that frees.
TEST(Terms, DoNotDependOnTheRoundingMode) {
  std::vector<Terms> nearest;
  for (uint64_t size = 1; size < 100000; size += 97) nearest.push_back(TermsOf(size, 65536));
  for (int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
    size_t i = 0;
    bool same = true;
    for (uint64_t size = 1; size < 100000; size += 97) same = same && TermsOf(size, 65536) == nearest[i++];
    std::fesetround(FE_TONEAREST);
    EXPECT_TRUE(same) << mode;
  }
}

TEST(Terms, TouchNoFloatingPointFlag) {
  std::feclearexcept(FE_ALL_EXCEPT);
  Generator generator(3);
  const Terms terms = TermsOf(DrawCountdown(generator, 65536), 65536);
  const HalfMembership halves = AssignHalves(generator, 1000, 65536);
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0);
  EXPECT_TRUE(terms.n == 1 && static_cast<int>(halves) != 0);
}

TEST(Terms, ObjectSumsAreTheObjectsOfTerms) {
  const Terms terms = TermsOf(100, 65536);
  ObjectSums sums;
  sums.Add(terms);
  sums.Add(sums);
  EXPECT_EQ(sums.n, 2u);
  EXPECT_EQ(sums.e_objects.Value(), terms.e_objects.Value() * 2);
  EXPECT_EQ(sums.v_objects.Value(), terms.v_objects.Value() * 2);
}

TEST(Terms, AdditionCarriesIntoTheHighWord) {
  Fixed128 x{~uint64_t{0}, 4};
  x.Add({1, 0});
  EXPECT_EQ(x, (Fixed128{0, 5}));
  x.Subtract({1, 0});
  EXPECT_EQ(x, (Fixed128{~uint64_t{0}, 4}));
}

TEST(Terms, AHalfHasTwiceThePeriod) {
  EXPECT_EQ(HalfTermsOf(1000, 65536), TermsOf(1000, 131072));
  EXPECT_EQ(HalfTermsOf(1000, 0), TermsOf(1000, 0));
  EXPECT_EQ(HalfTermsOf(1000, ~uint64_t{0}), TermsOf(1000, 2 * kMaxPeriod));
}

}  // namespace
}  // namespace heaptally::sampling
