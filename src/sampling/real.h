// Real numbers without a floating point unit: a 64-bit mantissa and an exponent.
//
// The sampler needs one exponential function inside the profiled process. Doubles would make its results depend on
// state that belongs to the program: the rounding mode and flush-to-zero (per thread, so an allocation in one thread
// and the free in another could disagree in the last bit, and a sum would never come back to 0), trapped exceptions
// (feenableexcept(FE_INEXACT) would kill the program in our hook) and sticky flags that it may look at. They would
// also depend on whether a compiler fuses a multiplication with an addition. Integers have none of this: every
// compiler and every thread gets the same bits. A number costs a few nanoseconds per operation, and is needed once
// per sample only.
//
// Limits: no negative numbers; each operation errs by at most 2^-61 relative; exponents of a few thousand at most
// (nothing here comes near).
#pragma once

#include <bit>
#include <cstdint>

namespace heaptally::sampling {

__extension__ typedef unsigned __int128 Uint128;

// mantissa * 2^exponent; the mantissa's top bit is set, or it is 0 and so is the number.
struct Real {
  uint64_t mantissa = 0;
  int32_t exponent = 0;
};

constexpr uint64_t MultiplyHigh(uint64_t a, uint64_t b) {
  return static_cast<uint64_t>((static_cast<Uint128>(a) * b) >> 64);
}

// mantissa * 2^exponent for any mantissa.
constexpr Real MakeReal(uint64_t mantissa, int32_t exponent = 0) {
  if (mantissa == 0) return {};
  const int shift = std::countl_zero(mantissa);
  return {mantissa << shift, exponent - shift};
}

constexpr Real operator*(Real a, Real b) {
  return MakeReal(MultiplyHigh(a.mantissa, b.mantissa), a.exponent + b.exponent + 64);
}

// (high * 2^64 + low) / divisor, rounded down. REQUIRES: high < divisor, and the divisor's top bit is set.
// Two digits of 32 bits (Knuth, TAOCP 4.3.1 D): the compiler's own 128-bit division is a library call, which the
// agent has not.
constexpr uint64_t DivideWide(uint64_t high, uint64_t low, uint64_t divisor) {
  const uint64_t divisor_high = divisor >> 32, divisor_low = divisor & 0xffffffff;
  uint64_t quotient = 0;
  for (int digit = 0; digit < 2; ++digit) {
    const uint64_t next = digit == 0 ? low >> 32 : low & 0xffffffff;
    uint64_t guess = high / divisor_high, rest = high % divisor_high;
    while (guess >> 32 != 0 || guess * divisor_low > ((rest << 32) | next)) {
      --guess;
      rest += divisor_high;
      if (rest >> 32 != 0) break;
    }
    high = ((high << 32) | next) - guess * divisor;
    quotient = (quotient << 32) | guess;
  }
  return quotient;
}

// REQUIRES: b is not 0.
constexpr Real operator/(Real a, Real b) {
  if (a.mantissa == 0) return {};
  return MakeReal(DivideWide(a.mantissa >> 1, a.mantissa << 63, b.mantissa), a.exponent - b.exponent - 63);
}

constexpr Real operator+(Real a, Real b) {
  if (a.mantissa == 0) return b;
  if (b.mantissa == 0) return a;
  if (a.exponent < b.exponent) return b + a;
  const int32_t gap = a.exponent - b.exponent;
  if (gap > 62) return a;
  return MakeReal((a.mantissa >> 1) + (b.mantissa >> 1 >> gap), a.exponent + 1);
}

// The number as an integer multiple of 2^-fraction_bits, to the nearest; all ones if it does not fit.
constexpr Uint128 ToFixed(Real a, int fraction_bits) {
  const int32_t shift = a.exponent + fraction_bits;
  if (a.mantissa == 0 || shift < -64) return 0;
  if (shift > 64) return ~static_cast<Uint128>(0);
  if (shift >= 0) return static_cast<Uint128>(a.mantissa) << shift;
  return ((static_cast<Uint128>(a.mantissa) << 1 >> -shift) + 1) >> 1;
}

// e^x - 1 with a relative error below 2^-54. REQUIRES: x < 128.
Real Expm1(Real x);

}  // namespace heaptally::sampling
