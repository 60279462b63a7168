#include "collect/image_profile.h"

#include <algorithm>
#include <unordered_map>

#include "base/hash.h"
#include "profile/estimates.h"
#include "segment/site_reader.h"

namespace heaptally::collect {
namespace {

using profile::ExactAmount;
using profile::Measures;
using profile::Volume;

uint64_t MinusOrZero(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

Volume VolumeOf(const segment::Counts& counts) { return {ExactAmount(counts.objects), ExactAmount(counts.bytes)}; }

Measures MeasuresOf(const segment::ExactSite& site, const segment::ExactPeak& peak) {
  Measures measures;
  const segment::Counts live = {MinusOrZero(site.allocated.objects, site.freed.objects),
                                MinusOrZero(site.allocated.bytes, site.freed.bytes)};
  const bool changed_since = peak.at_peak == 0 && site.peak_epoch == peak.peak_epoch;
  measures.allocated = VolumeOf(site.allocated);
  measures.freed = VolumeOf(site.freed);
  measures.live = VolumeOf(live);
  measures.peak = VolumeOf(changed_since ? site.peak : live);
  measures.reallocs = ExactAmount(site.reallocs);
  measures.reallocs_in_place = ExactAmount(site.reallocs_in_place);
  measures.temporary = ExactAmount(site.temporary);
  return measures;
}

// What its intervals need to know of how a site was sampled.
void SayChances(const segment::ImageHeader& header, uint64_t largest_period, Measures* measures) {
  if (!segment::IsCharged(header.mode)) {
    measures->period = static_cast<double>(std::max(largest_period, header.period_bytes));
    return;
  }
  const sampling::LargestPart part = sampling::LargestPartOf(header.least_charge);
  measures->objects_per_sample = part.objects;
  measures->bytes_known = header.mode != segment::Mode::kCount;
  measures->period = measures->bytes_known ? part.bytes : 0;
  // An object's chance does not come from its size: in mode count that of the smallest is that of all.
  measures->floor_bytes = measures->bytes_known ? UINT64_MAX : 0;
}

const char* NameOf(segment::Mode mode) {
  switch (mode) {
    case segment::Mode::kBytes:
      return "bytes";
    case segment::Mode::kCount:
      return "count";
    case segment::Mode::kPerClass:
      return "per-class";
    default:
      return "exact";
  }
}

Measures MeasuresOf(const segment::SampledSite& site, const segment::ImageHeader& header) {
  const sampling::PeakHalves& peak = header.sampled_peak;
  Measures measures;
  measures.allocated = profile::VolumeOf(site.allocated);
  measures.freed = profile::VolumeOf(site.freed);
  measures.live = profile::VolumeOf(sampling::Minus(site.allocated, site.freed));
  measures.peak = profile::VolumeOf(sampling::SiteAtPeak(peak, site.peak));
  measures.reallocs = profile::ObjectsAmount(site.reallocs);
  measures.reallocs_in_place = profile::ObjectsAmount(site.reallocs_in_place);
  measures.temporary = profile::ObjectsAmount(site.temporary);
  measures.floor_bytes = site.smallest_sampled;
  SayChances(header, site.largest_period, &measures);
  return measures;
}

// A site that never had an event says nothing: a prepared one, one that is just being added, the undo copy.
bool HasEvents(const segment::ExactSite& site) { return site.allocated.objects != 0; }
bool HasEvents(const segment::SampledSite& site) { return site.allocated.n != 0; }

void Take(const segment::RawImage& image, const segment::ExactSite& raw, const ClockScale& scale, profile::Site* site) {
  site->measures = MeasuresOf(raw, image.header.exact_peak);
  Histograms histograms = HistogramsOf(image, raw, scale);
  site->sizes = std::move(histograms.sizes);
  site->lifetimes_ns = std::move(histograms.lifetimes_ns);
}

void Take(const segment::RawImage& image, const segment::SampledSite& raw, const ClockScale& scale,
          profile::Site* site) {
  site->measures = MeasuresOf(raw, image.header);
  Histograms histograms = HistogramsOf(image, raw, scale);
  site->sizes = std::move(histograms.sizes);
  site->lifetimes_ns = std::move(histograms.lifetimes_ns);
}

using Heads = std::vector<const segment::SiteHead*>;

template <typename RawSite>
void ConvertSites(const segment::RawImage& image, const std::vector<RawSite>& raw_sites, const ImageContext& context,
                  Heads* heads, profile::Profile* profile) {
  for (uint32_t id = 0; id < raw_sites.size(); ++id) {
    if (!HasEvents(raw_sites[id])) continue;
    profile::Site& site = profile->sites.emplace_back();
    site.id = id;
    site.torn = image.torn[id] != 0;
    Take(image, raw_sites[id], context.scale, &site);
    heads->push_back(&raw_sites[id].head);
  }
}

// Class mapped: exact in every mode. What the allocator maps for itself is no site of the program's.
void ConvertMappedSites(const segment::RawImage& image, const ImageContext& context, Heads* heads,
                        profile::Profile* profile) {
  std::unordered_map<uint32_t, uint64_t> oldest;
  for (const segment::MappedRange& range : image.ranges) {
    const auto [at, added] = oldest.try_emplace(range.site, range.birth);
    if (!added) at->second = std::min(at->second, range.birth);
  }
  for (uint32_t id = 0; id < image.mapped_sites.size(); ++id) {
    const segment::ExactSite& raw = image.mapped_sites[id];
    if (id == segment::kMappedAllocatorId || !HasEvents(raw)) continue;
    profile::Site& site = profile->sites.emplace_back();
    site.id = kFirstMappedSite + id;
    site.torn = image.mapped_torn[id] != 0;
    site.measures = MeasuresOf(raw, image.header.mapped_peak);
    const auto born = oldest.find(id);
    if (born != oldest.end()) site.oldest_ns = context.scale.ToNs(MinusOrZero(context.end_clock, born->second));
    heads->push_back(&raw.head);
  }
}

// The birth of the oldest live block by site; sites are in order of their ids.
void AddAges(const segment::RawImage& image, const ImageContext& context, profile::Profile* profile) {
  std::unordered_map<uint32_t, uint64_t> oldest;
  for (const segment::LiveSample& live : image.samples) {
    const auto [at, added] = oldest.try_emplace(live.sample.site, live.sample.clock);
    if (!added) at->second = std::min(at->second, live.sample.clock);
  }
  for (profile::Site& site : profile->sites) {
    const auto at = oldest.find(site.id);  // no site of class mapped has an id of these
    if (at != oldest.end()) site.oldest_ns = context.scale.ToNs(MinusOrZero(context.end_clock, at->second));
  }
}

// What tells a sampled block from every other that was ever there. A block inside a realloc has no address.
uint32_t IdOf(const segment::LiveSample& live) {
  return static_cast<uint32_t>(base::HashCombine(base::HashCombine(0, live.address), live.sample.clock));
}

void AddSamples(const segment::RawImage& image, profile::Profile* profile) {
  std::unordered_map<uint32_t, profile::Site*> sites;
  for (profile::Site& site : profile->sites) sites[site.id] = &site;
  for (const segment::LiveSample& live : image.samples) {
    const auto at = sites.find(live.sample.site);
    if (at == sites.end()) continue;
    at->second->live_samples.push_back({IdOf(live), live.sample.size, live.sample.period});
  }
  for (profile::Site& site : profile->sites) std::sort(site.live_samples.begin(), site.live_samples.end());
}

void AddExactPeak(const segment::ExactPeak& peak, const ImageContext& context, profile::Profile* profile) {
  profile->peak_moments_unix_ns = {context.scale.ToUnixNs(peak.at_peak != 0 ? context.end_clock : peak.peak_time)};
  profile->threads = peak.threads;
  profile->peak_batch_bytes = peak.threads > 1 ? peak.batch_bytes : 0;
}

void AddSampledPeak(const sampling::PeakHalves& peak, const ImageContext& context, profile::Profile* profile) {
  for (int half = 0; half < 2; ++half) {
    profile->peak_moments_unix_ns.push_back(context.scale.ToUnixNs(sampling::MomentOf(peak, half, context.end_clock)));
  }
  profile->totals.peak_whole = profile::VolumeOf(peak.whole_at_maximum);
  profile->totals.peak_most_proven = peak.largest_proven;
}

}  // namespace

uint64_t LatestClock(const segment::RawImage& image) {
  uint64_t latest = std::max(image.header.started_clock, image.header.exact_peak.peak_time);
  for (const uint64_t moment : image.header.sampled_peak.moment_ns) latest = std::max(latest, moment);
  for (const segment::LiveSample& live : image.samples) latest = std::max(latest, live.sample.clock);
  for (const segment::MappedRange& range : image.ranges) latest = std::max(latest, range.birth);
  for (const segment::Module& module : image.modules) {
    latest = std::max({latest, module.loaded_clock, module.unloaded_clock});
  }
  return latest;
}

profile::Profile ProfileOf(const segment::RawImage& image, const ImageContext& context) {
  profile::Profile profile;
  const segment::ImageHeader& header = image.header;
  const bool exact = header.mode == segment::Mode::kExact;
  const bool charged = segment::IsCharged(header.mode);
  profile.mode = NameOf(header.mode);
  profile.period_bytes = exact || charged ? 0 : header.period_bytes;
  profile.period_calls = charged ? header.period_bytes : 0;
  Heads heads;
  if (exact) {
    ConvertSites(image, image.exact_sites, context, &heads, &profile);
    AddExactPeak(header.exact_peak, context, &profile);
  } else {
    ConvertSites(image, image.sampled_sites, context, &heads, &profile);
    AddAges(image, context, &profile);
    AddSamples(image, &profile);
    // A peak is one of bytes.
    if (header.mode != segment::Mode::kCount) AddSampledPeak(header.sampled_peak, context, &profile);
    if (charged) SayChances(header, 0, &profile.totals);
  }
  ConvertMappedSites(image, context, &heads, &profile);
  ConvertStacks(image, context.modules, heads, &profile);
  for (size_t i = 0; i < profile.modules.size(); ++i) {
    profile.modules[i].loaded_unix_ns = context.scale.ToUnixNs(context.modules[i].loaded_clock);
  }
  profile::SumTotals(&profile);
  profile.unattributed_objects = header.unattributed_objects;
  profile.unattributed_bytes = header.unattributed_bytes;
  profile.unknown_frees = header.unknown_frees;
  profile.inherited_bytes = header.inherited_bytes;
  profile.own_bytes = image.extent_bytes;
  AddLossAndNotes(image, context.running, &profile);
  AddPauses(header, context.scale.ToUnixNs(context.end_clock), context.running, &profile);
  return profile;
}

}  // namespace heaptally::collect
