// The draw: how far, in bytes, until the next sample.
//
// A countdown is c = floor(-T ln U), U uniform in (0,1). An allocation of s bytes debits s+1 and is a sample iff the
// countdown falls below 0; then a new one is drawn and the overshoot is thrown away. The floor of an exponential is
// geometric, which is memoryless in whole bytes, so an allocation is sampled with p = 1 - exp(-(s+1)/T) exactly,
// whatever came before it and whatever the period was earlier ("<= 0", or rounding the other way, is off by a byte a
// draw). The one more byte gives malloc(0) a chance without a branch. The period of the draw that fired belongs to
// the sample: it is the T of its terms (terms.h).
//
// Integers only (real.h says why): the same state gives the same countdown on every machine.
// Runs inside the profiled process: no allocation, no lock, no library.
#pragma once

#include <cstdint>

#include "base/hash.h"
#include "sampling/real.h"

namespace heaptally::sampling {

// Largest period, 1 TiB: with it no countdown and no term leaves its integer.
inline constexpr uint64_t kMaxPeriod = uint64_t{1} << 40;

// splitmix64 (Steele, Lea, Flood 2014): eight bytes of state, so that a thread's fits beside its countdown.
// Not for secrets. One owner, one thread. A forked child must be given a new seed, else it repeats its parent.
class Generator {
 public:
  constexpr Generator() = default;
  // Any seed will do, small ones too.
  constexpr explicit Generator(uint64_t seed) : state_(base::Mix64(seed + kStep)) {}

  // 64 uniform bits.
  constexpr uint64_t Next() { return base::Mix64(state_ += kStep); }

 private:
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15;
  uint64_t state_ = 0;
};
static_assert(sizeof(Generator) == 8);

// -ln(numerator / 2^64) in units of 2^-120, relative error below 2^-54 (5.6e-17), near 1 as well as near 0.
// REQUIRES: numerator > 0.
Uint128 NegativeLog(uint64_t numerator);

// Bytes until the next sample: floor(-period ln U), in [0, 45 period), so below 2^62.
// A period outside [1, kMaxPeriod] is taken as the nearer end.
uint64_t DrawCountdown(Generator& generator, uint64_t period);

}  // namespace heaptally::sampling
