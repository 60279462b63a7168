// From sums of samples to values with 95 % intervals: sampling/estimate.cc in this language. Every number of the page gets
// one interval, made of its own sums - never of the ends of other intervals.
import { gammaQuantile, kLowerTail, kUpperTail } from "./gamma.js";

/** @typedef {import("./reader.js").Moments} Moments */
/** @typedef {{v: number, lo: number, hi: number, n: number, exact: boolean, hiKnown: boolean}} Estimate */
/** @typedef {{inferred: number, variance: number}} Pad */

const kOneMissed = 0.025317807984289897, kPeakVariance = 1.5;

/** @returns {Moments} */
export function noMoments() {
  return { proven: 0, inferred: 0, variance: 0, samples: 0 };
}

/** @param {Moments} sum @param {Moments} more */
export function addMoments(sum, more) {
  sum.proven += more.proven;
  sum.inferred += more.inferred;
  sum.variance += more.variance;
  sum.samples += more.samples;
}

/** @param {number} mean @param {number} variance @param {import("./gamma.js").Tail} tail @returns {number} */
function quantile(mean, variance, tail) {
  if (!(mean > 0) || !(variance > 0)) return mean;
  const shape = mean / variance * mean;
  if (!(shape < 1e12)) return mean + tail.normal * Math.sqrt(variance);
  return variance / mean * gammaQuantile(shape, tail);
}

/** @param {Moments} m @returns {number} */
function lowerEnd(m) {
  return Math.max(m.proven, quantile(m.proven + m.inferred, m.variance, kLowerTail));
}

/** @param {Moments} m @param {Pad} pad @returns {Estimate} */
function interval(m, pad) {
  const unseen = quantile(m.inferred + pad.inferred, m.variance + pad.variance, kUpperTail), v = m.proven + m.inferred;
  const missed = m.variance > 0 && m.inferred / m.variance * m.inferred > kOneMissed ? m.proven + m.variance / m.inferred : 0;
  return { v, lo: Math.min(v, lowerEnd(m)), hi: Math.max(v, m.proven + unseen, missed), n: m.samples, exact: false, hiKnown: true };
}

/** @param {Moments} m @param {number} period @returns {boolean} */
function isExact(m, period) {
  return !(period > 0) && m.inferred === 0 && m.variance === 0;
}

/** @param {Moments} m @returns {Estimate} */
function exactly(m) {
  const v = m.proven + m.inferred;
  return { v, lo: v, hi: v, n: m.samples, exact: true, hiKnown: true };
}

/** @param {Moments} m @param {number} period @returns {Estimate} */
export function estimateBytes(m, period) {
  return isExact(m, period) ? exactly(m) : interval(m, { inferred: period, variance: period * period });
}

/** @param {Moments} m @param {number} period @param {number} floor bytes; Infinity: nothing was sampled @returns {Estimate} */
export function estimateObjects(m, period, floor) {
  if (isExact(m, period)) return exactly(m);
  const q = period > 0 && floor !== Infinity ? 1 / Math.expm1((floor + 1) / period) : 0;
  const out = interval(m, { inferred: q, variance: q * (1 + q) });
  out.lo = Math.min(out.v, Math.ceil(out.lo * (1 - 1e-12)));
  out.hi = Math.max(out.v, Math.ceil(out.hi * (1 - 1e-12)));
  if (floor === Infinity && period > 0) {
    out.hi = out.v;
    out.hiKnown = false;
  }
  return out;
}

/** @param {Moments} m @returns {Moments} the halves' values are correlated where their moments meet */
export function widened(m) {
  return { ...m, variance: m.variance * kPeakVariance };
}

/**
 * The peak of whole processes, as reports show it: never below what is live now, which is an estimate of other samples.
 * @param {import("./reader.js").Totals} totals @param {Moments} peak @param {Moments} live @param {boolean} one of one process
 * @returns {Estimate}
 */
export function estimatePeak(totals, peak, live, one) {
  const period = totals.period;
  let out = estimateBytes(widened(peak), period);
  if (totals.peakWhole.samples > 0 && !out.exact) {
    const pad = { inferred: period, variance: period * period };
    out = interval(peak, pad);
    out.lo = Math.min(out.v, Math.max(lowerEnd(widened(peak)), totals.peakMostProven));
    out.hi = Math.max(out.hi, interval(totals.peakWhole, pad).hi);
  }
  if (!one) return out;
  const now = estimateBytes(live, period);
  return { ...out, v: Math.max(out.v, now.v), lo: Math.max(out.lo, now.lo), hi: Math.max(out.hi, now.hi), n: Math.max(out.n, now.n) };
}
