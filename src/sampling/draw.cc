// The logarithm, and the countdown made of it.
#include "sampling/draw.h"

#include <array>

#include "sampling/halves.h"

namespace heaptally::sampling {
namespace {

constexpr uint64_t kLn2 = 0xb17217f7d1cf79ac;  // units of 2^-64, nearest

// A mantissa m in [1/2, 1) is brought into (15/16, 1] by a factor chosen by its four bits after the leading one:
// kFactors[i] = 32/(17+i), rounded down, in units of 2^-63, and its logarithm in units of 2^-64. The last is 1, so
// nothing is lost near 1, where the logarithm is small.
constexpr std::array<uint64_t, 16> kFactors = {
    0xf0f0f0f0f0f0f0f0, 0xe38e38e38e38e38e, 0xd79435e50d79435e, 0xcccccccccccccccc,
    0xc30c30c30c30c30c, 0xba2e8ba2e8ba2e8b, 0xb21642c8590b2164, 0xaaaaaaaaaaaaaaaa,
    0xa3d70a3d70a3d70a, 0x9d89d89d89d89d89, 0x97b425ed097b425e, 0x9249249249249249,
    0x8d3dcb08d3dcb08d, 0x8888888888888888, 0x8421084210842108, 0x8000000000000000};
constexpr std::array<uint64_t, 16> kFactorLogs = {
    0xa1ecff97c91e267a, 0x934b1089a6dc93c2, 0x8573b71682a7d21b, 0x785228689c9b3652,
    0x6bd4a5492337419d, 0x5febe8ef60546fb7, 0x548ab81ce28f5f38, 0x49a58844d36e49e0,
    0x3f3238d96766f2fb, 0x3527da7915b3c6dd, 0x2b7e80d6a87b63f6, 0x222f1d044fc8f7bc,
    0x19335e5d594988ae, 0x108598b59e3a0688, 0x0820aec4f3a22238, 0x0000000000000000};

constexpr int kTerms = 15;  // d^16/17 < 2^-68 for d < 1/16

// (-ln(1-d) - d) / d for d = distance / 2^64 < 1/16, in units of 2^-64: d/2 + d^2/3 + ...
uint64_t LogSeries(uint64_t distance) {
  uint64_t sum = 0;
  for (int n = kTerms; n >= 1; --n) {
    sum = MultiplyHigh(distance, sum + ~uint64_t{0} / static_cast<uint64_t>(n + 1));
  }
  return sum;
}

}  // namespace

Uint128 NegativeLog(uint64_t numerator) {
  const int halvings = std::countl_zero(numerator);
  uint64_t mantissa = numerator << halvings;
  const unsigned step = static_cast<unsigned>(mantissa >> 59) & 15;
  if (step != 15) mantissa = MultiplyHigh(mantissa, kFactors[step]) << 1;
  const uint64_t distance = -mantissa;  // 1 - mantissa
  const Uint128 logarithm =
      (static_cast<Uint128>(distance) << 64) + static_cast<Uint128>(distance) * LogSeries(distance);
  const Uint128 removed = static_cast<Uint128>(kLn2) * static_cast<unsigned>(halvings) + kFactorLogs[step];
  return (logarithm >> 8) + (removed << 56);
}

uint64_t DrawCountdown(Generator& generator, uint64_t period) {
  if (period < 1) period = 1;
  if (period > kMaxPeriod) period = kMaxPeriod;
  const Uint128 logarithm = NegativeLog(generator.Next() | 1);  // U: the middles of 2^63 equal cells of (0,1)
  const Uint128 high = static_cast<Uint128>(period) * static_cast<uint64_t>(logarithm >> 64);
  const Uint128 low = static_cast<Uint128>(period) * static_cast<uint64_t>(logarithm);
  return static_cast<uint64_t>((high + (low >> 64)) >> 56);
}

HalfMembership AssignHalves(Generator& generator, Odds odds) {
  if (odds.period == 0) return HalfMembership::kBoth;
  const uint64_t period = odds.period < kMaxPeriod ? odds.period : kMaxPeriod;
  const uint64_t debit = odds.debit;
  if (debit / 256 >= period) return HalfMembership::kBoth;  // all but e^-128
  const Real y = Expm1(MakeReal(debit) / MakeReal(2 * period));
  const Uint128 both = ToFixed(y / (y + MakeReal(2)), 64);
  const uint64_t uniform = generator.Next();
  if (uniform < both) return HalfMembership::kBoth;
  // What is left is split in two equal parts; its lowest bit is as good as any.
  return (uniform & 1) != 0 ? HalfMembership::kA : HalfMembership::kB;
}

}  // namespace heaptally::sampling
