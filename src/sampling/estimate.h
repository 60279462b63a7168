// From sums of samples to values with 95 % intervals. Tool side: doubles, <cmath>, no exceptions.
//
// The interval is the gamma interval of Fay and Feuer (1997) for weighted Poisson sums, made fit for blocks that are
// certain to be sampled. Q(q; a) is the q-quantile of Gamma(shape a, scale 1):
//     v  = S + E
//     lo = max(S, V/v Q(0.025; v^2/V))
//     hi = S + max(V'/E' Q(0.975; E'^2/V'),  V/E where E^2/V > -ln 0.975),   E' = E + pad, V' = V + pad variance
// The lower end is made of the whole value: shifted by S it would miss (coverage down to 0.17). The upper end is made
// of the unseen part alone, with one pseudo-sample more, the largest there can be (bytes: T and T^2; objects: q and
// q/p of the smallest size, the floor). The V/E line is one more large block that may have been missed: without it,
// sites of many blocks of 3.5 T to 8 T are covered in less than 0.94.
//
// One interval per number shown: add sums over sites, threads and images first (an exact image adds S alone), then
// make one interval with one pad. Never add ends.
//
// What an interval does not say: it holds for a site that was fixed beforehand. Of many equal sites, the one with the
// largest estimate is too large by selection; so rank by the lower end (RanksBefore) and call the list selected.
//
// Every function is total. Sums come from files and from other processes' memory and may be nonsense: negative, huge
// or not numbers; ends are always finite, and lo <= v <= hi.
#pragma once

#include <cstdint>

#include "sampling/charges.h"
#include "sampling/peak_halves.h"
#include "sampling/terms.h"

namespace heaptally::sampling {

// Of values at the peak: the halves' moments meet, so their correlation is up to 0.5.
inline constexpr double kPeakVariance = 1.5;

// No sample has told us a size: nothing can be said about how many objects there are at most.
inline constexpr uint64_t kNoFloor = ~uint64_t{0};

// Sums as the tool keeps and stores them: bytes or objects.
struct Moments {
  double proven = 0;    // S: the sizes of the samples, or their number; a whole number
  double inferred = 0;  // E: what they stand for on top of it
  double variance = 0;  // V
  uint64_t samples = 0;

  void Add(const Moments& other);
};

Moments BytesOf(const Sums& sums);
Moments ObjectsOf(const Sums& sums);
Moments ObjectsOf(const ObjectSums& sums);

// a - b: what happened between two readings, or what is live of allocated and freed. No field falls below 0, also
// where a reader met the two at different times.
Sums Minus(const Sums& a, const Sums& b);

// A value and its 95 % interval. exact: lo = v = hi. hi_known false: no upper end can be given (hi = v).
// floor_bytes (objects and calls only, else kNoFloor): at least lo in all, at most hi of this size or more.
struct Estimate {
  double v = 0;
  double lo = 0;
  double hi = 0;
  uint64_t n = 0;  // samples behind it
  bool exact = false;
  bool hi_known = true;
  uint64_t floor_bytes = kNoFloor;
  double one_missed = 0;  // S + V/E: the value if one more large block was missed; 0: not likely enough to matter
  bool known = true;      // false: nothing can be said (NotKnown)
};

// `period`: T in bytes; where T changed or images differ, the largest under which such a block may have been
// allocated. 0: exact throughout.
Estimate EstimateBytes(const Moments& bytes, double period);

// Objects, calls, frees, reallocs. `floor_bytes`: the smallest size ever sampled in the set (dead samples too; of a
// histogram bucket: its lower edge); kNoFloor leaves the upper end unknown. Ends are whole numbers.
Estimate EstimateObjects(const Moments& objects, double period, uint64_t floor_bytes);

// Objects, calls, frees where a sample's chance does not come from its size (modes count and per-class). `most`: the
// largest number, 1/p, that one sample can have stood for; the pad is one such. Holds for all objects, of whatever size, so
// there is no floor.
Estimate EstimateObjectsAlike(const Moments& objects, double most);

// Where bytes cannot be told (mode count): nothing is known.
Estimate NotKnown();

// What classes of size were debited at least (charges.h) -> the largest unseen part of one sample: bytes, as the period is in
// mode bytes (of a class, the largest size times the root of q/p: E^2 and V of the pad are no larger), and objects, as 1/p.
struct LargestPart {
  double bytes = 0;
  double objects = 1;
};
LargestPart LargestPartOf(const uint64_t (&least_charge)[kSizeClasses]);

// What a set of samples holds at the peak: the mean of the two halves at each other's maximum (S and E halved, V
// quartered). Sites add up to the process.
Moments BytesOf(const AtPeak& at_peak);
Moments ObjectsOf(const AtPeak& at_peak);

// The peak of a process's live bytes. `peak`: BytesOf(TotalAtPeak(process)); `whole`: BytesOf(whole_at_maximum).
// The halves' values are correlated where their moments meet, hence 1.5 V in the lower end, which also is no lower than
// the most that the samples proved at any one time; the upper end is no lower than that of the whole sample at its own
// maximum, as the true peak is not below it.
Estimate EstimatePeakBytes(const Moments& peak, const Moments& whole, double largest_proven, double period);

// A site's bytes or objects at the peak, and a process's objects: defined as the mean over the two moments, which is
// what the interval is for. 1.5 V at both ends.
Estimate EstimateBytesAtPeak(const Moments& at_peak, double period);
Estimate EstimateObjectsAtPeak(const Moments& at_peak, double period, uint64_t floor_bytes);

// What the sites without a sample hold together: Good and Turing's sum of s q over the sites with exactly one sample.
// It is part of the total already: never add it.
class UnseenSites {
 public:
  // To be called with every site's sums of one kind (all bytes, or all objects).
  void AddSite(const Moments& site);
  Estimate Bytes(double period) const;
  Estimate Objects(double period, uint64_t floor_bytes) const;

 private:
  Estimate Between(const Estimate& upper) const;
  Moments sum_;  // inferred: G, variance: W
};

// A change. lo <= v <= hi; an end that is not known is equal to v.
struct Change {
  double v = 0;
  double lo = 0;
  double hi = 0;
  bool lo_known = true;
  bool hi_known = true;
  bool exact = false;

  // True iff the interval tells it from nothing.
  bool IsReal() const { return (lo_known && lo > 0) || (hi_known && hi < 0); }
};

// gained - lost, by MOVER (Zou and Donner 2008) from two independent estimates: two runs; or two snapshots of an image,
// after the samples that are live in both have been left out of both. (Churn between two snapshots needs none of it:
// Minus, then one interval.) MOVER adds distances in squares, which loses the missed large block: two sites of 200 and
// 70 blocks of 8 T are covered in 0.938 by it alone. So an end is no nearer than one more missed block puts it.
Change Difference(const Estimate& gained, const Estimate& lost);

// Strict weak order for lists of winners: by what is certain, then by the estimate, larger first.
bool RanksBefore(const Estimate& a, const Estimate& b);

}  // namespace heaptally::sampling
