#include "profile/estimates.h"

#include <cmath>

namespace heaptally::profile {
namespace {

Amount FromMoments(uint64_t proven, const sampling::Moments& moments) {
  return {proven, moments.inferred, moments.variance, moments.samples};
}

Amount FromMoments(const sampling::Moments& moments) {
  return FromMoments(static_cast<uint64_t>(moments.proven), moments);
}

sampling::Estimate Objects(const Measures& measures, const sampling::Moments& objects, uint64_t floor_bytes) {
  if (measures.objects_per_sample != 0) return sampling::EstimateObjectsAlike(objects, measures.objects_per_sample);
  return sampling::EstimateObjects(objects, measures.period, floor_bytes);
}

}  // namespace

Amount ExactAmount(uint64_t number) { return {number, 0, 0, 0}; }

Amount BytesAmount(const sampling::Sums& sums) { return FromMoments(sums.s, sampling::BytesOf(sums)); }
Amount ObjectsAmount(const sampling::Sums& sums) { return FromMoments(sums.n, sampling::ObjectsOf(sums)); }
Amount ObjectsAmount(const sampling::ObjectSums& sums) { return FromMoments(sums.n, sampling::ObjectsOf(sums)); }

Volume VolumeOf(const sampling::Sums& sums) { return {ObjectsAmount(sums), BytesAmount(sums)}; }

Volume VolumeOf(const sampling::AtPeak& at_peak) {
  return {FromMoments(sampling::ObjectsOf(at_peak)), FromMoments(sampling::BytesOf(at_peak))};
}

sampling::Moments MomentsOf(const Amount& amount) {
  return {static_cast<double>(amount.proven), amount.inferred, amount.variance, amount.samples};
}

bool IsExact(const Measures& measures) { return measures.period == 0 && measures.objects_per_sample == 0; }

sampling::Estimate BytesEstimate(const Measures& measures, const Amount& amount) {
  if (!measures.bytes_known) return sampling::NotKnown();
  return sampling::EstimateBytes(MomentsOf(amount), measures.period);
}

sampling::Estimate ObjectsEstimate(const Measures& measures, const Amount& amount) {
  return Objects(measures, MomentsOf(amount), measures.floor_bytes);
}

sampling::Estimate PeakBytesEstimate(const Measures& measures) {
  if (!measures.bytes_known) return sampling::NotKnown();
  if (measures.peak_whole.bytes.samples == 0) {  // a site, not a total
    return sampling::EstimateBytesAtPeak(MomentsOf(measures.peak.bytes), measures.period);
  }
  return sampling::EstimatePeakBytes(MomentsOf(measures.peak.bytes), MomentsOf(measures.peak_whole.bytes),
                                     static_cast<double>(measures.peak_most_proven), measures.period);
}

sampling::Estimate PeakObjectsEstimate(const Measures& measures) {
  if (!measures.bytes_known) return sampling::NotKnown();  // the peak is one of bytes
  sampling::Moments at_peak = MomentsOf(measures.peak.objects);
  if (measures.objects_per_sample == 0) {
    return sampling::EstimateObjectsAtPeak(at_peak, measures.period, measures.floor_bytes);
  }
  at_peak.variance *= sampling::kPeakVariance;
  return sampling::EstimateObjectsAlike(at_peak, measures.objects_per_sample);
}

sampling::Estimate BucketEstimate(const Measures& measures, const Amount& objects, uint64_t floor_bytes) {
  return Objects(measures, MomentsOf(objects), floor_bytes);
}

}  // namespace heaptally::profile
