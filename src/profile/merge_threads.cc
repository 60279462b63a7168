#include "profile/merge_threads.h"

#include <algorithm>
#include <unordered_map>

#include "base/hash.h"

namespace heaptally::profile {
namespace {

uint64_t HashOf(const Site& site) {
  uint64_t hash = base::HashCombine(site.frames.size(), site.other ? 1 : 0);
  for (const uint32_t frame : site.frames) hash = base::HashCombine(hash, frame);
  return hash;
}

bool SameStack(const Site& a, const Site& b) {
  return a.frames == b.frames && a.memory_class == b.memory_class && a.other == b.other &&
         a.truncated_why == b.truncated_why;
}

// Both are in order of `from`.
void AddBuckets(const std::vector<Bucket>& added, std::vector<Bucket>* to) {
  for (const Bucket& bucket : added) {
    const auto at = std::lower_bound(to->begin(), to->end(), bucket,
                                     [](const Bucket& a, const Bucket& b) { return a.from < b.from; });
    if (at != to->end() && at->from == bucket.from) {
      at->objects += bucket.objects;
    } else {
      to->insert(at, bucket);
    }
  }
}

void AddSite(const Site& added, Site* to) {
  if (to->thread != added.thread) to->thread.clear();
  to->torn = to->torn || added.torn;
  to->measures += added.measures;
  AddBuckets(added.sizes, &to->sizes);
  AddBuckets(added.lifetimes_ns, &to->lifetimes_ns);
  to->live_samples.insert(to->live_samples.end(), added.live_samples.begin(), added.live_samples.end());
  std::sort(to->live_samples.begin(), to->live_samples.end());
  if (added.oldest_ns) to->oldest_ns = std::max(*added.oldest_ns, to->oldest_ns.value_or(0));
}

}  // namespace

void MergeThreads(Profile* profile) {
  std::vector<Site>& sites = profile->sites;
  const auto differs = [&](const Site& site) { return site.thread != sites[0].thread; };
  if (std::none_of(sites.begin(), sites.end(), differs)) return;
  std::unordered_multimap<uint64_t, size_t> known;
  size_t kept = 0;
  for (size_t i = 0; i < sites.size(); ++i) {
    const uint64_t hash = HashOf(sites[i]);
    const auto [begin, end] = known.equal_range(hash);
    const auto same = std::find_if(begin, end, [&](const auto& at) { return SameStack(sites[at.second], sites[i]); });
    if (same != end) {
      const auto resident = profile->coverage.ResidentOf(sites[i].id);
      if (resident) profile->coverage.resident_by_site[sites[same->second].id] += *resident;
      AddSite(sites[i], &sites[same->second]);
      continue;
    }
    known.emplace(hash, kept);
    if (kept != i) sites[kept] = std::move(sites[i]);
    ++kept;
  }
  sites.resize(kept);
}

}  // namespace heaptally::profile
