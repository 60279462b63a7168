#include <algorithm>
#include <array>

#include "collect/image_profile.h"
#include "profile/estimates.h"

namespace heaptally::collect {
namespace {

using segment::kClasses;

// [from, to] of a class: 0, or [2^(c-1), 2^c - 1].
profile::Bucket Range(uint32_t size_class) {
  profile::Bucket bucket;
  if (size_class == 0) return bucket;
  bucket.from = uint64_t{1} << (size_class - 1);
  bucket.to = bucket.from + (bucket.from - 1);
  return bucket;
}

uint64_t MinusOrZero(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

// Counts by class; the first class gets what the chain leaves of `total`.
std::array<uint64_t, kClasses> CountsOf(const std::vector<segment::ExactHistogram>& histograms, uint32_t head,
                                        uint8_t first_class, uint64_t total) {
  std::array<uint64_t, kClasses> counts{};
  uint64_t in_chain = 0;
  for (uint32_t item = head, steps = 0; item != 0 && steps < kClasses; item = histograms[item - 1].next, ++steps) {
    for (const uint64_t entry : histograms[item - 1].entry) {
      const uint64_t named = entry >> 56, count = entry & ((uint64_t{1} << 56) - 1);  // the class + 1
      if (named == 0 || named > kClasses) continue;
      counts[named - 1] += count;
      in_chain += count;
    }
  }
  if (first_class != 0) counts[first_class - 1] += MinusOrZero(total, in_chain);
  return counts;
}

using SampledCounts = std::array<sampling::ObjectSums, kClasses>;

SampledCounts CountsOf(const std::vector<segment::SampledHistogram>& histograms, uint32_t head, uint8_t first_class,
                       const sampling::Sums& total) {
  SampledCounts counts{};
  sampling::ObjectSums in_chain;
  for (uint32_t item = head, steps = 0; item != 0 && steps < kClasses; item = histograms[item - 1].next, ++steps) {
    for (const auto& entry : histograms[item - 1].entry) {
      if (entry.size_class == 0 || entry.size_class > kClasses) continue;
      counts[entry.size_class - 1].Add(entry.sums);
      in_chain.Add(entry.sums);
    }
  }
  if (first_class != 0) {
    const sampling::Sums rest = sampling::Minus(total, {in_chain.n, 0, {}, {}, in_chain.e_objects, in_chain.v_objects});
    counts[first_class - 1].Add(sampling::ObjectSums{rest.n, rest.e_objects, rest.v_objects});
  }
  return counts;
}

profile::Amount AmountOf(uint64_t count) { return profile::ExactAmount(count); }
profile::Amount AmountOf(const sampling::ObjectSums& sums) { return profile::ObjectsAmount(sums); }

template <typename Counts>
std::vector<profile::Bucket> Buckets(const Counts& counts) {
  std::vector<profile::Bucket> buckets;
  for (uint32_t i = 0; i < kClasses; ++i) {
    profile::Bucket bucket = Range(i);
    bucket.objects = AmountOf(counts[i]);
    if (bucket.objects.proven != 0) buckets.push_back(bucket);
  }
  return buckets;
}

void ToNs(const ClockScale& scale, std::vector<profile::Bucket>* buckets) {
  for (profile::Bucket& bucket : *buckets) {
    const uint64_t from = scale.ToNs(bucket.from);
    const uint64_t next = bucket.to == 0 ? 0 : scale.ToNs(bucket.to == UINT64_MAX ? bucket.to : bucket.to + 1);
    bucket.from = from;
    bucket.to = std::max(from, next == 0 ? 0 : next - 1);
  }
}

template <typename Site, typename Chain, typename Total>
Histograms Convert(const Chain& chain, const Site& site, const Total& allocated, const Total& freed,
                   const ClockScale& scale) {
  Histograms histograms;
  histograms.sizes = Buckets(CountsOf(chain, site.head.size_histogram, site.head.first_size_class, allocated));
  histograms.lifetimes_ns = Buckets(CountsOf(chain, site.head.life_histogram, site.head.first_life_class, freed));
  ToNs(scale, &histograms.lifetimes_ns);
  return histograms;
}

}  // namespace

Histograms HistogramsOf(const segment::RawImage& image, const segment::ExactSite& site, const ClockScale& scale) {
  return Convert(image.exact_histograms, site, site.allocated.objects, site.freed.objects, scale);
}

Histograms HistogramsOf(const segment::RawImage& image, const segment::SampledSite& site, const ClockScale& scale) {
  return Convert(image.sampled_histograms, site, site.allocated, site.freed, scale);
}

}  // namespace heaptally::collect
