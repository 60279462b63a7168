// The peak of a sampled heap: a state machine of integers that the agent keeps in the segment.
//
// The largest value that a sampled estimate ever had is a maximum of noise and reads high (1.2 x for a flat heap of
// 100 MB). So the sample is split into two independent halves (halves.h): the moment of A's maximum is chosen without
// looking at B, and B's estimate at that moment is an honest one, and the other way round (the double estimator of
// van Hasselt, 2010). The value at the peak is the mean of the two. It errs low where a spike hides in the noise; no
// unbiased estimator of a maximum exists.
//
// The moment of a half is the last instant at which it stands at its maximum: just before the fall, or "now" while it
// still stands there. So a copy is needed per fall, not per rise, and pure growth is seen to its end.
//
// Protocol
//   1. Process: PeakHalves, one per image. Per site: SitePeak. Both start as all zeros. One caller at a time: the
//      agent holds one lock around AfterAlloc and BeforeFree, for the process's part and the site's together.
//   2. A sample is published -> AfterAlloc. A sample's end -> BeforeFree, with the same sample. A realloc of a sampled
//      block is both: BeforeFree for the old one, then AfterAlloc for the new one, if there is one.
//   3. When BeforeFree finds a half at its maximum, and the sample is in it, this instant becomes that half's moment:
//      the *other* half's live sums are copied in the process, and the half's epoch goes up by one. Only then is the
//      sample subtracted.
//   4. A site holds, for each half h, a copy of its live sums of the other half at h's moment, and the epoch of h to
//      which the copy belongs. Whenever its live sums of the other half are about to change and its epoch is not the
//      process's, then they have not changed since the moment: they are copied, and the epoch is noted. So an event
//      costs its own site two comparisons, and a moment costs nothing at the other sites.
//   5. Reader (SiteAtPeak): half h stands at its maximum -> the site's live sums of the other half; the epochs agree ->
//      the copy; they do not -> the live sums, which have not changed since the moment.
// Hence the sums over all sites are the process's, bit by bit, if both are read in one cut. In another case (a reader
// without a lock) a site's epoch may be ahead of the process's: SiteAtPeak says so.
//
// A kill between two stores leaves at most one sample half booked. Nothing here allocates, waits or calls.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sampling/halves.h"
#include "sampling/terms.h"

namespace heaptally::sampling {

// One sample as the peak sees it. The halves are drawn once, at the allocation, and kept with the sample.
struct PeakSample {
  Terms whole;
  Terms half;
  HalfMembership halves;
};

inline PeakSample MakePeakSample(uint64_t size, Odds odds, HalfMembership halves) {
  return {TermsOf(size, odds), HalfTermsOf(size, odds), halves};
}
inline PeakSample MakePeakSample(uint64_t size, uint64_t period, HalfMembership halves) {
  return MakePeakSample(size, OddsByBytes(size, period), halves);
}

struct PeakHalves;

// A site's part. Index h of `copy` and `epoch` is the half whose moment it is; copy[h] holds sums of half 1-h.
struct SitePeak {
  Sums live[2];
  Sums copy[2];
  uint64_t epoch[2];

  // Point 4: to be called before live[half] changes.
  void KeepCopy(const PeakHalves& process, int half);
};

struct PeakHalves {
  Sums whole;             // live, the whole sample, period T
  Sums whole_at_maximum;  // the same when it was largest: the upper end of the interval comes from it
  Sums live[2];           // live, halves A and B, period 2T
  Sums other[2];          // at the moment of half h: the live sums of half 1-h
  Fixed128 maximum[2];    // of half h, as ScaledBytes
  uint64_t moment_ns[2];
  uint64_t epoch[2];        // number of moments of half h so far
  uint64_t largest_proven;  // the largest whole.s ever: the peak was no lower

  bool StandsAtMaximum(int half) const { return live[half].ScaledBytes() >= maximum[half].Value(); }

  void AfterAlloc(SitePeak& site, const PeakSample& sample) {
    whole.Add(sample.whole);
    if (whole.ScaledBytes() > whole_at_maximum.ScaledBytes()) whole_at_maximum = whole;
    if (whole.s > largest_proven) largest_proven = whole.s;
    for (int half = 0; half < 2; ++half) {
      if (!IsIn(sample.halves, half)) continue;
      site.KeepCopy(*this, half);
      site.live[half].Add(sample.half);
      live[half].Add(sample.half);
      if (StandsAtMaximum(half)) maximum[half] = Fixed128::From(live[half].ScaledBytes());
    }
  }

  void BeforeFree(SitePeak& site, const PeakSample& sample, uint64_t now_ns) {
    for (int half = 0; half < 2; ++half) {  // both before any is subtracted: each needs the other as it stands
      if (!IsIn(sample.halves, half) || !StandsAtMaximum(half)) continue;
      other[half] = live[1 - half];
      moment_ns[half] = now_ns;
      ++epoch[half];
    }
    for (int half = 0; half < 2; ++half) {
      if (!IsIn(sample.halves, half)) continue;
      site.KeepCopy(*this, half);
      site.live[half].Subtract(sample.half);
      live[half].Subtract(sample.half);
    }
    whole.Subtract(sample.whole);
  }
};

inline void SitePeak::KeepCopy(const PeakHalves& process, int half) {
  const int moment = 1 - half;
  if (epoch[moment] == process.epoch[moment]) return;
  copy[moment] = live[half];
  epoch[moment] = process.epoch[moment];
}

static_assert(std::is_trivially_copyable_v<SitePeak> && sizeof(SitePeak) == 336, "storage form");
static_assert(std::is_trivially_copyable_v<PeakHalves> && sizeof(PeakHalves) == 552, "storage form");
static_assert(std::has_unique_object_representations_v<SitePeak>, "no padding");
static_assert(std::has_unique_object_representations_v<PeakHalves>, "no padding");

// What a set of samples holds at the peak: sums of half B at A's moment, and of half A at B's.
struct AtPeak {
  Sums b_at_a;
  Sums a_at_b;
  bool torn = false;  // the parts were read at different times and do not add up
};

inline AtPeak TotalAtPeak(const PeakHalves& process) {
  return {process.StandsAtMaximum(0) ? process.live[1] : process.other[0],
          process.StandsAtMaximum(1) ? process.live[0] : process.other[1]};
}

// When a half stood at its maximum; `now_ns` while it still does.
inline uint64_t MomentOf(const PeakHalves& process, int half, uint64_t now_ns) {
  return process.StandsAtMaximum(half) ? now_ns : process.moment_ns[half];
}

inline Sums SiteAtMoment(const PeakHalves& process, const SitePeak& site, int half) {
  const bool kept = !process.StandsAtMaximum(half) && site.epoch[half] == process.epoch[half];
  return kept ? site.copy[half] : site.live[1 - half];
}

inline AtPeak SiteAtPeak(const PeakHalves& process, const SitePeak& site) {
  return {SiteAtMoment(process, site, 0), SiteAtMoment(process, site, 1),
          site.epoch[0] > process.epoch[0] || site.epoch[1] > process.epoch[1]};
}

}  // namespace heaptally::sampling
