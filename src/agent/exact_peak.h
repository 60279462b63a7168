// A total of bytes, its maximum, and what each site's value was then (segment::ExactPeak says how a reader makes it out).
//
// The last instant at which the total stands at its maximum is the peak: just before it falls. A site's value at the peak
// is kept before the site's first change after it (docs/design/0005).
#pragma once

#include "agent/clock.h"
#include "base/branch.h"
#include "segment/layout.h"

namespace heaptally::agent {

// Before the site changes.
HT_ALWAYS_INLINE void KeepPeakValue(const segment::ExactPeak& peak, segment::ExactSite* site) {
  if (__atomic_load_n(&peak.at_peak, __ATOMIC_RELAXED) != 0) return;
  const uint64_t epoch = __atomic_load_n(&peak.peak_epoch, __ATOMIC_RELAXED);
  if (HT_LIKELY(site->peak_epoch == epoch)) return;
  site->peak = {site->allocated.objects - site->freed.objects, site->allocated.bytes - site->freed.bytes};
  __atomic_store_n(&site->peak_epoch, epoch, __ATOMIC_RELEASE);
}

// Before the total falls.
HT_ALWAYS_INLINE void LeavePeak(segment::ExactPeak* peak) {
  if (__atomic_load_n(&peak->at_peak, __ATOMIC_RELAXED) == 0) return;
  __atomic_store_n(&peak->peak_time, Now(), __ATOMIC_RELAXED);
  __atomic_fetch_add(&peak->peak_epoch, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&peak->at_peak, 0u, __ATOMIC_RELEASE);
}

HT_ALWAYS_INLINE void PublishLive(segment::ExactPeak* peak, int64_t delta) {
  const int64_t live = __atomic_add_fetch(&peak->live_bytes, delta, __ATOMIC_RELAXED);
  if (live > __atomic_load_n(&peak->peak_bytes, __ATOMIC_RELAXED)) {
    __atomic_store_n(&peak->peak_bytes, live, __ATOMIC_RELAXED);
    __atomic_store_n(&peak->at_peak, 1u, __ATOMIC_RELEASE);
  }
}

}  // namespace heaptally::agent
