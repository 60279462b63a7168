#include "analysis/ranking.h"

#include <algorithm>

namespace heaptally::analysis {

using profile::BytesEstimate;
using profile::ObjectsEstimate;

sampling::Estimate Ranked(const profile::Measures& measures, By by) {
  switch (by) {
    case By::kLive:
      return BytesEstimate(measures, measures.live.bytes);
    case By::kPeak:
      return PeakBytesEstimate(measures);
    case By::kChurn:
      return BytesEstimate(measures, measures.allocated.bytes);
    case By::kCalls:
      return ObjectsEstimate(measures, measures.allocated.objects);
    case By::kTemporary:
      return ObjectsEstimate(measures, measures.temporary);
  }
  return {};
}

const profile::Amount& RankedAmount(const profile::Measures& measures, By by) {
  switch (by) {
    case By::kPeak:
      return measures.peak.bytes;
    case By::kChurn:
      return measures.allocated.bytes;
    case By::kCalls:
      return measures.allocated.objects;
    case By::kTemporary:
      return measures.temporary;
    default:
      return measures.live.bytes;
  }
}

sampling::Estimate Beside(const profile::Measures& measures, By by) {
  switch (by) {
    case By::kLive:
      return ObjectsEstimate(measures, measures.live.objects);
    case By::kPeak:
      return PeakObjectsEstimate(measures);
    case By::kCalls:
      return BytesEstimate(measures, measures.allocated.bytes);
    case By::kChurn:
    case By::kTemporary:
      return ObjectsEstimate(measures, measures.allocated.objects);
  }
  return {};
}

const profile::Amount& BesideAmount(const profile::Measures& measures, By by) {
  switch (by) {
    case By::kLive:
      return measures.live.objects;
    case By::kPeak:
      return measures.peak.objects;
    case By::kCalls:
      return measures.allocated.bytes;
    default:
      return measures.allocated.objects;
  }
}

sampling::Estimate ProcessPeak(const profile::Measures& totals) {
  sampling::Estimate peak = PeakBytesEstimate(totals);
  const sampling::Estimate live = BytesEstimate(totals, totals.live.bytes);
  peak.n = std::max(peak.n, live.n);
  peak.v = std::max(peak.v, live.v);
  peak.lo = std::max(peak.lo, live.lo);
  peak.hi = std::max(peak.hi, live.hi);
  return peak;
}

By UsualView(const std::vector<profile::Profile>& profiles) {
  constexpr double kMostWasFreed = 0.25;
  if (!IsKnown(profiles, By::kLive)) return By::kCalls;
  // Of several processes: the one that had most.
  const profile::Profile* largest = nullptr;
  double peak = 0;
  for (const profile::Profile& profile : profiles) {
    const double own = PeakBytesEstimate(profile.totals).v;
    if (largest != nullptr && own <= peak) continue;
    largest = &profile;
    peak = own;
  }
  if (largest == nullptr) return By::kLive;
  return BytesEstimate(largest->totals, largest->totals.live.bytes).v < kMostWasFreed * peak ? By::kPeak : By::kLive;
}

bool IsKnown(const std::vector<profile::Profile>& profiles, By by) {
  return !RanksBytes(by) || std::any_of(profiles.begin(), profiles.end(),
                                        [](const auto& profile) { return profile.totals.bytes_known; });
}

bool RanksBytes(By by) { return by == By::kLive || by == By::kPeak || by == By::kChurn; }

}  // namespace heaptally::analysis
