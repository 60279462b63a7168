// From the sums of the sampler to the model's amounts, and from amounts to numbers with intervals.
//
// An interval belongs to one number shown: sum the measures first, then ask here. Exact amounts give lo = v = hi.
#pragma once

#include "profile/profile.h"
#include "sampling/estimate.h"

namespace heaptally::profile {

Amount ExactAmount(uint64_t number);
Amount BytesAmount(const sampling::Sums& sums);
Amount ObjectsAmount(const sampling::Sums& sums);
Amount ObjectsAmount(const sampling::ObjectSums& sums);
Volume VolumeOf(const sampling::Sums& sums);
// The mean over the two halves' moments.
Volume VolumeOf(const sampling::AtPeak& at_peak);

sampling::Moments MomentsOf(const Amount& amount);

// True iff the number is known, not estimated.
bool IsExact(const Measures& measures);

// `amount` must be one of the measures' own. Bytes; objects and calls; the same at the peak. A histogram's bucket has a
// floor of its own: its lower edge.
sampling::Estimate BytesEstimate(const Measures& measures, const Amount& amount);
sampling::Estimate ObjectsEstimate(const Measures& measures, const Amount& amount);
sampling::Estimate PeakBytesEstimate(const Measures& measures);
sampling::Estimate PeakObjectsEstimate(const Measures& measures);
sampling::Estimate BucketEstimate(const Measures& measures, const Amount& objects, uint64_t floor_bytes);

}  // namespace heaptally::profile
