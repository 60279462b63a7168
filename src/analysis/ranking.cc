#include "analysis/ranking.h"

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

bool RanksBytes(By by) { return by == By::kLive || by == By::kPeak || by == By::kChurn; }

}  // namespace heaptally::analysis
