#include "sampling/real.h"

#include <array>

namespace heaptally::sampling {
namespace {

constexpr uint64_t kLn2 = 0xb17217f7d1cf79ab;      // ln 2 in units of 2^-64, rounded down: rests stay positive
constexpr uint64_t kLog2OfE = 0xb8aa3b295c17f0bb;  // 1/ln 2 in units of 2^-63, rounded down: likewise
constexpr int kTerms = 20;                         // x^20/21! < 2^-65 for x < 1

// 1/(n+1)! in units of 2^-63.
constexpr auto kInverseFactorials = [] {
  std::array<uint64_t, kTerms> table{};
  uint64_t factorial = 1;
  for (int n = 0; n < kTerms; ++n) table[n] = (uint64_t{1} << 63) / (factorial *= n + 1);
  return table;
}();

// (e^x - 1)/x for x = fraction / 2^64, in units of 2^-63: 1 + x/2 + x^2/6 + ..., up to the first power below 2^-64
uint64_t Expm1OverX(uint64_t fraction) {
  const int zeros = std::countl_zero(fraction);
  const int last = zeros < 4 ? kTerms - 1 : 64 / zeros;
  uint64_t sum = kInverseFactorials[last];
  for (int n = last - 1; n >= 0; --n) sum = kInverseFactorials[n] + MultiplyHigh(fraction, sum);
  return sum;
}

}  // namespace

Real Expm1(Real x) {
  if (x.exponent <= -64) {  // x < 1: no cancellation, since e^x - 1 is never formed
    const int shift = -64 - x.exponent;
    return x * MakeReal(Expm1OverX(shift < 64 ? x.mantissa >> shift : 0), -63);
  }
  const uint64_t fixed = x.mantissa >> (-57 - x.exponent);  // units of 2^-57
  const auto k = static_cast<uint64_t>((static_cast<Uint128>(fixed) * kLog2OfE) >> 120);
  const Uint128 rest = (static_cast<Uint128>(fixed) << 64) - ((static_cast<Uint128>(k) * kLn2) << 57);  // 2^-121
  const auto fraction = static_cast<uint64_t>(rest >> 57);
  constexpr uint64_t kOne = uint64_t{1} << 62;
  const uint64_t power = kOne + (MultiplyHigh(fraction, Expm1OverX(fraction)) >> 1);  // e^rest, units of 2^-62
  return MakeReal(power - (k < 64 ? kOne >> k : 0), static_cast<int32_t>(k) - 62);
}

}  // namespace heaptally::sampling
