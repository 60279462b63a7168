#include "sampling/estimate.h"

#include <algorithm>
#include <cmath>

#include "sampling/gamma.h"

namespace heaptally::sampling {
namespace {

constexpr double kLargest = 1e60;                    // of S, E and V: leaves room for squares and quotients
constexpr double kOneMissed = 0.025317807984289897;  // -ln 0.975: E^2/V of one block that is missed in 2.5 %

double Sane(double x) { return x > 0 ? std::min(x, kLargest) : 0; }  // also for what is not a number

Moments Sane(const Moments& m) { return {Sane(m.proven), Sane(m.inferred), Sane(m.variance), m.samples}; }

double ToDouble(Fixed128 x, int fraction_bits) {
  return std::ldexp(static_cast<double>(x.hi), 64 - fraction_bits) +
         std::ldexp(static_cast<double>(x.lo), -fraction_bits);
}

// The unseen part of the largest pseudo-sample.
struct Pad {
  double inferred = 0;
  double variance = 0;
};

Pad BytesPad(double period) {
  const double t = Sane(period);
  return {t, t * t};
}

Pad ObjectsPad(double period, uint64_t floor_bytes) {
  if (Sane(period) == 0) return {};
  const double q = Sane(1 / std::expm1((static_cast<double>(floor_bytes) + 1) / Sane(period)));
  return {q, q * (1 + q)};
}

// Mean and variance of a gamma distribution -> its quantile. Above a shape of 10^12 it is as good as normal.
double Quantile(double mean, double variance, Tail tail) {
  if (!(mean > 0) || !(variance > 0)) return mean;
  const double shape = mean / variance * mean;
  if (!(shape < 1e12)) return mean + tail.normal * std::sqrt(variance);
  return variance / mean * GammaQuantile(shape, tail);
}

double LowerEnd(const Moments& m) {
  return std::max(m.proven, Quantile(m.proven + m.inferred, m.variance, kLowerTail));
}

// S + V/E where a block the size of those sampled may have been missed in more than 2.5 %.
double OneMissed(const Moments& m) {
  if (!(m.variance > 0) || !(m.inferred / m.variance * m.inferred > kOneMissed)) return 0;
  return m.proven + m.variance / m.inferred;
}

Estimate Interval(const Moments& m, Pad pad) {
  const double unseen = Quantile(m.inferred + pad.inferred, m.variance + pad.variance, kUpperTail);
  Estimate estimate;
  estimate.n = m.samples;
  estimate.v = m.proven + m.inferred;
  estimate.lo = std::min(estimate.v, LowerEnd(m));
  estimate.one_missed = OneMissed(m);
  estimate.hi = std::max({estimate.v, m.proven + unseen, estimate.one_missed});
  return estimate;
}

Estimate Exact(const Moments& m) {
  const double v = m.proven + m.inferred;
  return {v, v, v, m.samples, true, true, kNoFloor, 0};
}

bool IsExact(const Moments& m, double period) { return Sane(period) == 0 && m.inferred == 0 && m.variance == 0; }

// To whole numbers of objects. The value stays as it is: values add up.
void RoundEnds(Estimate& estimate) {
  estimate.lo = std::min(estimate.v, std::ceil(estimate.lo * (1 - 1e-12)));
  estimate.hi = std::max(estimate.v, std::ceil(estimate.hi * (1 - 1e-12)));
}

Moments Mean(const Moments& a, const Moments& b) {
  const double proven = std::floor((a.proven + b.proven) / 2);  // a half left over goes to the inferred part
  return {proven, (a.proven + b.proven) / 2 - proven + (a.inferred + b.inferred) / 2, (a.variance + b.variance) / 4,
          a.samples / 2 + b.samples / 2 + ((a.samples | b.samples) & 1)};
}

Moments Widened(Moments m) {
  m.variance *= kPeakVariance;
  return m;
}

uint64_t MinusOrZero(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

Fixed128 MinusOrZero(Fixed128 a, Fixed128 b) {
  return a.Value() > b.Value() ? Fixed128::From(a.Value() - b.Value()) : Fixed128{};
}

}  // namespace

void Moments::Add(const Moments& other) {
  proven += other.proven;
  inferred += other.inferred;
  variance += other.variance;
  samples += other.samples;
}

Moments BytesOf(const Sums& sums) {
  return {static_cast<double>(sums.s), ToDouble(sums.e_bytes, kFractionBits), ToDouble(sums.v_bytes, 0), sums.n};
}

Moments ObjectsOf(const ObjectSums& sums) {
  return {static_cast<double>(sums.n), ToDouble(sums.e_objects, kFractionBits), ToDouble(sums.v_objects, kFractionBits),
          sums.n};
}

Moments ObjectsOf(const Sums& sums) { return ObjectsOf(ObjectSums{sums.n, sums.e_objects, sums.v_objects}); }

Moments BytesOf(const AtPeak& at_peak) { return Mean(BytesOf(at_peak.b_at_a), BytesOf(at_peak.a_at_b)); }
Moments ObjectsOf(const AtPeak& at_peak) { return Mean(ObjectsOf(at_peak.b_at_a), ObjectsOf(at_peak.a_at_b)); }

Sums Minus(const Sums& a, const Sums& b) {
  return {MinusOrZero(a.n, b.n),
          MinusOrZero(a.s, b.s),
          MinusOrZero(a.e_bytes, b.e_bytes),
          MinusOrZero(a.v_bytes, b.v_bytes),
          MinusOrZero(a.e_objects, b.e_objects),
          MinusOrZero(a.v_objects, b.v_objects)};
}

Estimate EstimateBytes(const Moments& bytes, double period) {
  const Moments m = Sane(bytes);
  return IsExact(m, period) ? Exact(m) : Interval(m, BytesPad(period));
}

Estimate EstimateObjects(const Moments& objects, double period, uint64_t floor_bytes) {
  const Moments m = Sane(objects);
  if (IsExact(m, period)) return Exact(m);
  Estimate estimate = Interval(m, ObjectsPad(period, floor_bytes));
  RoundEnds(estimate);
  estimate.floor_bytes = floor_bytes;
  if (floor_bytes == kNoFloor && Sane(period) != 0) {
    estimate.hi = estimate.v;
    estimate.hi_known = false;
  }
  return estimate;
}

Estimate EstimatePeakBytes(const Moments& peak, const Moments& whole, double largest_proven, double period) {
  const Moments m = Sane(peak);
  if (IsExact(m, period)) return Exact(m);
  const Pad pad = BytesPad(period);
  Estimate estimate = Interval(m, pad);
  estimate.lo = std::min(estimate.v, std::max(LowerEnd(Widened(m)), Sane(largest_proven)));
  estimate.hi = std::max(estimate.hi, Interval(Sane(whole), pad).hi);
  return estimate;
}

Estimate EstimateBytesAtPeak(const Moments& at_peak, double period) { return EstimateBytes(Widened(at_peak), period); }

Estimate EstimateObjectsAtPeak(const Moments& at_peak, double period, uint64_t floor_bytes) {
  return EstimateObjects(Widened(at_peak), period, floor_bytes);
}

Estimate EstimateObjectsAlike(const Moments& objects, double most) {
  const double q = Sane(most - 1);
  Estimate estimate = Interval(Sane(objects), {q, q * (1 + q)});
  RoundEnds(estimate);
  return estimate;
}

Estimate NotKnown() {
  Estimate estimate;
  estimate.hi_known = false;
  estimate.known = false;
  return estimate;
}

LargestPart LargestPartOf(const uint64_t (&least_charge)[kSizeClasses]) {
  LargestPart part;
  for (uint32_t i = 0; i < kSizeClasses; ++i) {
    if (least_charge[i] == 0 || least_charge[i] >= kCertainCharge) continue;
    const double x = static_cast<double>(least_charge[i]) / static_cast<double>(kChargeUnit);
    part.bytes = std::max(part.bytes, std::ldexp(1.0, static_cast<int>(i)) / (2 * std::sinh(x / 2)));
    part.objects = std::max(part.objects, 1 + 1 / std::expm1(x));
  }
  part.bytes = Sane(part.bytes);
  return part;
}

// W = sum over sites with one sample of (s q)^2 + s^2 q, which is s^2 q/p, the site's V; plus, over sites with two,
// 2 (s1 q1)(s2 q2). The two parts of E are not kept apart: E^2/2 is what they give when equal, else a little more.
void UnseenSites::AddSite(const Moments& site) {
  const Moments m = Sane(site);
  sum_.samples += m.samples == 1;
  if (m.samples == 1) sum_.inferred += m.inferred;
  if (m.samples == 1) sum_.variance += m.variance;
  if (m.samples == 2) sum_.variance += m.inferred * m.inferred / 2;
}

Estimate UnseenSites::Between(const Estimate& upper) const {
  Estimate estimate = upper;
  if (!estimate.exact) estimate.lo = std::max(0.0, estimate.v + kLowerTail.normal * std::sqrt(Sane(sum_.variance)));
  return estimate;
}

Estimate UnseenSites::Bytes(double period) const { return Between(EstimateBytes(sum_, period)); }

Estimate UnseenSites::Objects(double period, uint64_t floor_bytes) const {
  Estimate estimate = Between(EstimateObjects(sum_, period, floor_bytes));
  if (!estimate.exact) estimate.lo = std::floor(estimate.lo);
  return estimate;
}

Change Difference(const Estimate& gained, const Estimate& lost) {
  Change change;
  change.v = gained.v - lost.v;
  change.lo = change.v - std::hypot(gained.v - gained.lo, lost.hi - lost.v);
  change.hi = change.v + std::hypot(gained.hi - gained.v, lost.v - lost.lo);
  if (lost.one_missed > 0) change.lo = std::min(change.lo, gained.lo - lost.one_missed);
  if (gained.one_missed > 0) change.hi = std::max(change.hi, gained.one_missed - lost.lo);
  change.lo_known = lost.hi_known;
  change.hi_known = gained.hi_known;
  change.exact = gained.exact && lost.exact;
  if (!change.lo_known) change.lo = change.v;
  if (!change.hi_known) change.hi = change.v;
  return change;
}

bool RanksBefore(const Estimate& a, const Estimate& b) { return a.lo != b.lo ? a.lo > b.lo : a.v > b.v; }

}  // namespace heaptally::sampling
