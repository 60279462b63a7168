// Two halves of one sample, for the peak (peak_halves.h says what for).
//
// Each sample is put into half A, half B, or both, so that each half is by itself a sample of period 2T, and the two
// are independent of each other. With p_h = 1 - exp(-(s+1)/2T):
//     P(both) = p_h^2 / p        P(A only) = P(B only) = p_h (1-p_h) / p
// which sum to 1, since 1 - (1-p_h)^2 = p. With y = expm1((s+1)/2T) they are y/(y+2) and 1/(y+2). A small block goes
// by the toss of a coin; a block of many T goes to both, so it has no variance in either: with the coin alone, one
// 64 MiB block that makes the peak would read as 0.14 of itself.
//
// The terms of a sample in a half it belongs to are those of period 2T. Runs inside the profiled process.
#pragma once

#include <cstdint>

#include "sampling/draw.h"
#include "sampling/terms.h"

namespace heaptally::sampling {

// Bits: which halves a sample belongs to. Never none.
enum class HalfMembership : uint8_t { kA = 1, kB = 2, kBoth = 3 };

constexpr bool IsIn(HalfMembership halves, int half) { return (static_cast<unsigned>(halves) >> half & 1) != 0; }

// Draws the halves of a sample of `size` bytes and `period` (0, exact: both). One random number.
HalfMembership AssignHalves(Generator& generator, Odds odds);
inline HalfMembership AssignHalves(Generator& generator, uint64_t size, uint64_t period) {
  return AssignHalves(generator, OddsByBytes(size, period));
}

// Terms of such a sample in each half it belongs to.
inline Terms HalfTermsOf(uint64_t size, Odds odds) {
  return TermsOf(size, Odds{odds.debit, odds.period > kMaxPeriod ? 2 * kMaxPeriod : 2 * odds.period});
}
inline Terms HalfTermsOf(uint64_t size, uint64_t period) { return HalfTermsOf(size, OddsByBytes(size, period)); }

}  // namespace heaptally::sampling
