#include "sampling/terms.h"

#include "sampling/draw.h"

namespace heaptally::sampling {

Terms TermsOf(uint64_t size, uint64_t period) { return TermsOf(size, OddsByBytes(size, period)); }

Terms TermsOf(uint64_t size, Odds odds) {
  Terms terms;
  terms.n = 1;
  terms.s = size;
  if (odds.period == 0) return terms;
  const uint64_t period = odds.period < 2 * kMaxPeriod ? odds.period : 2 * kMaxPeriod;  // twice: a half has twice its sample's period
  const uint64_t debit = odds.debit;
  if (debit / 128 >= period) return terms;  // p = 1 to within e^-128: every term below rounds to 0
  const Real q = MakeReal(1) / Expm1(MakeReal(debit) / MakeReal(period));
  const Real q_over_p = q * (MakeReal(1) + q);
  const Real s = MakeReal(size);
  terms.e_bytes = Fixed128::From(ToFixed(s * q, kFractionBits));
  terms.v_bytes = Fixed128::From(ToFixed(s * s * q_over_p, 0));
  terms.e_objects = Fixed128::From(ToFixed(q, kFractionBits));
  terms.v_objects = Fixed128::From(ToFixed(q_over_p, kFractionBits));
  return terms;
}

}  // namespace heaptally::sampling
