#include "store/measures_blob.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

namespace heaptally::store {
namespace {

using profile::Amount;
using profile::Measures;

constexpr size_t kAmounts = 13;
constexpr uint64_t kPlain = 1u << kAmounts, kMore = 2u << kAmounts, kPeakIsLive = 4u << kAmounts;
constexpr size_t kLive = 4, kPeak = 6;  // objects, then bytes

template <typename SomeMeasures>
auto AmountsOf(SomeMeasures& m) {
  return std::array{&m.allocated.objects, &m.allocated.bytes,   &m.freed.objects, &m.freed.bytes,
                    &m.live.objects,      &m.live.bytes,        &m.peak.objects,  &m.peak.bytes,
                    &m.reallocs,          &m.reallocs_in_place, &m.temporary,     &m.peak_whole.objects,
                    &m.peak_whole.bytes};
}

bool IsPlain(const Amount& amount) { return amount.inferred == 0 && amount.variance == 0 && amount.samples == 0; }

template <typename Amounts>
Amount LiveOf(const Amounts& amounts, size_t i) {
  return {amounts[i - kLive]->proven - amounts[i - kLive + 2]->proven, 0, 0, 0};
}

// What amount `i` most often is, given those before it.
template <typename Amounts>
Amount Expected(const Amounts& amounts, size_t i) {
  if (i == kPeak || i == kPeak + 1) return *amounts[i - kPeak + kLive];
  if (i != kLive && i != kLive + 1) return {};
  return LiveOf(amounts, i);
}

// The same after another snapshot. `now` is known up to i.
template <typename Before, typename Now>
Amount ExpectedAfter(const Before& before, const Now& now, size_t i, bool peak_is_live) {
  if ((i == kPeak || i == kPeak + 1) && peak_is_live) return *now[i - kPeak + kLive];
  if ((i == kLive || i == kLive + 1) && IsPlain(*now[i - kLive])) return LiveOf(now, i);
  return *before[i];
}

}  // namespace

void PackAmount(const Amount& amount, Packer* packer) {
  const bool estimated = !IsPlain(amount);
  // Two numbers instead of proven << 1 | estimated, so that 64 bits fit.
  packer->Number(estimated ? 1 : 0);
  packer->Number(amount.proven);
  if (!estimated) return;
  packer->Number(amount.samples);
  packer->Real(amount.inferred);
  packer->Real(amount.variance);
}

Amount UnpackAmount(Unpacker* unpacker) {
  Amount amount;
  const bool estimated = unpacker->Below(2) != 0;
  amount.proven = unpacker->Number();
  if (!estimated) return amount;
  amount.samples = unpacker->Number();
  amount.inferred = unpacker->Real();
  amount.variance = unpacker->Real();
  return amount;
}

namespace {

// An amount that is a plain number takes that number alone where `exact` says so for all of a site.
void PackPlain(const Amount& amount, bool exact, Packer* packer) {
  exact ? packer->Number(amount.proven) : PackAmount(amount, packer);
}

Amount UnpackPlain(bool exact, Unpacker* unpacker) {
  return exact ? Amount{unpacker->Number(), 0, 0, 0} : UnpackAmount(unpacker);
}

// Whole numbers as steps, modulo 2^64.
void PackStep(const Amount& before, const Amount& now, bool plain, Packer* packer) {
  packer->Signed(static_cast<int64_t>(now.proven - before.proven));
  if (plain) return;
  packer->Signed(static_cast<int64_t>(now.samples - before.samples));
  packer->Real(now.inferred);
  packer->Real(now.variance);
}

Amount UnpackStep(const Amount& before, bool plain, Unpacker* unpacker) {
  Amount now;
  now.proven = before.proven + static_cast<uint64_t>(unpacker->Signed());
  if (plain) return now;
  now.samples = before.samples + static_cast<uint64_t>(unpacker->Signed());
  now.inferred = unpacker->Real();
  now.variance = unpacker->Real();
  return now;
}

bool IsByCalls(const Measures& measures) { return measures.objects_per_sample != 0 || !measures.bytes_known; }

// A negative period, -1 - period, says that what modes count and per-class have more follows.
void PackTail(const Measures& measures, Packer* packer) {
  const bool by_calls = IsByCalls(measures);
  packer->Real(by_calls ? -1 - measures.period : measures.period);
  packer->Number(measures.floor_bytes + 1);
  packer->Number(measures.peak_most_proven);
  if (by_calls) packer->Real(measures.objects_per_sample);
  if (by_calls) packer->Number(measures.bytes_known ? 1 : 0);
}

void UnpackTail(Unpacker* unpacker, Measures* measures) {
  measures->period = unpacker->Real();
  measures->floor_bytes = unpacker->Number() - 1;
  measures->peak_most_proven = unpacker->Number();
  if (!(measures->period < 0)) return;
  measures->period = -1 - measures->period;
  measures->objects_per_sample = unpacker->Real();
  measures->bytes_known = unpacker->Below(2) != 0;
}

bool SameTail(const Measures& a, const Measures& b) {
  return a.period == b.period && a.floor_bytes == b.floor_bytes && a.peak_most_proven == b.peak_most_proven &&
         a.objects_per_sample == b.objects_per_sample && a.bytes_known == b.bytes_known;
}

}  // namespace

// mask of the amounts that are not as expected, bit 13: all are plain numbers, bit 14: period, floor and proven peak
// follow.
void PackMeasures(const Measures& measures, Packer* packer) {
  const auto amounts = AmountsOf(measures);
  uint64_t mask = 0;
  bool plain = true;
  for (size_t i = 0; i < kAmounts; ++i) {
    if (*amounts[i] != Expected(amounts, i)) mask |= uint64_t{1} << i;
    plain = plain && IsPlain(*amounts[i]);
  }
  const bool more = !SameTail(measures, {});
  packer->Number(mask | (plain ? kPlain : 0) | (more ? kMore : 0));
  for (size_t i = 0; i < kAmounts; ++i) {
    if ((mask >> i & 1) != 0) PackPlain(*amounts[i], plain, packer);
  }
  if (more) PackTail(measures, packer);
}

Measures UnpackMeasures(Unpacker* unpacker) {
  Measures measures;
  const auto amounts = AmountsOf(measures);
  const uint64_t mask = unpacker->Below(2 * kMore);
  for (size_t i = 0; i < kAmounts; ++i) {
    *amounts[i] = (mask >> i & 1) != 0 ? UnpackPlain((mask & kPlain) != 0, unpacker) : Expected(amounts, i);
  }
  if ((mask & kMore) != 0) UnpackTail(unpacker, &measures);
  return measures;
}

// The same mask, against what was before; bit 15: the peak is as live is now, not as it was.
void PackMeasuresAfter(const Measures& before, const Measures& now, Packer* packer) {
  const auto old_amounts = AmountsOf(before);
  const auto amounts = AmountsOf(now);
  const bool peak_is_live = now.peak != before.peak && now.peak == now.live;
  uint64_t mask = 0;
  bool plain = true;
  for (size_t i = 0; i < kAmounts; ++i) {
    if (*amounts[i] == ExpectedAfter(old_amounts, amounts, i, peak_is_live)) continue;
    mask |= uint64_t{1} << i;
    plain = plain && IsPlain(*amounts[i]);
  }
  const bool more = !SameTail(now, before);
  packer->Number(mask | (plain ? kPlain : 0) | (more ? kMore : 0) | (peak_is_live ? kPeakIsLive : 0));
  for (size_t i = 0; i < kAmounts; ++i) {
    if ((mask >> i & 1) == 0) continue;
    PackStep(ExpectedAfter(old_amounts, amounts, i, peak_is_live), *amounts[i], plain, packer);
  }
  if (more) PackTail(now, packer);
}

void UnpackMeasuresAfter(Unpacker* unpacker, Measures* measures) {
  const Measures before = *measures;
  const auto old_amounts = AmountsOf(before);
  const auto amounts = AmountsOf(*measures);
  const uint64_t mask = unpacker->Below(2 * kPeakIsLive);
  for (size_t i = 0; i < kAmounts; ++i) {
    const Amount expected = ExpectedAfter(old_amounts, amounts, i, (mask & kPeakIsLive) != 0);
    *amounts[i] = (mask >> i & 1) != 0 ? UnpackStep(expected, (mask & kPlain) != 0, unpacker) : expected;
  }
  if ((mask & kMore) != 0) UnpackTail(unpacker, measures);
}

// ---------------------------------------------------------------------------------------------------------- histograms

namespace {

using Buckets = std::vector<profile::Bucket>;

bool AllPlain(const Buckets& buckets) {
  return std::all_of(buckets.begin(), buckets.end(), [](const auto& bucket) { return IsPlain(bucket.objects); });
}

bool Before(const profile::Bucket& bucket, const Range& range) { return Range(bucket.from, bucket.to) < range; }

// The bucket of that range, made where there is none; buckets stay in order if they were.
Amount* BucketAt(const Range& range, Buckets* buckets) {
  auto at = std::lower_bound(buckets->begin(), buckets->end(), range, Before);
  if (at == buckets->end() || Range(at->from, at->to) != range) {
    at = buckets->insert(at, {range.first, range.second, {}});
  }
  return &at->objects;
}

// Those of `now` that are not as before.
Buckets Changed(const Buckets& before, const Buckets& now) {
  Buckets changed;
  for (const profile::Bucket& bucket : now) {
    const auto at = std::find_if(before.begin(), before.end(),
                                 [&](const auto& old) { return old.from == bucket.from && old.to == bucket.to; });
    if (at == before.end() || at->objects != bucket.objects) changed.push_back(bucket);
  }
  return changed;
}

}  // namespace

void PackHistogram(const Buckets& buckets, RangeNumbers* ranges, Packer* packer) {
  const bool plain = AllPlain(buckets);
  packer->Number(buckets.size() << 1 | (plain ? 1 : 0));
  for (const profile::Bucket& bucket : buckets) {
    packer->Number(ranges->Of({bucket.from, bucket.to}));
    PackPlain(bucket.objects, plain, packer);
  }
}

void UnpackHistogram(const std::vector<Range>& ranges, Unpacker* unpacker, Buckets* buckets) {
  const uint64_t head = unpacker->Number();
  for (uint64_t count = head >> 1; count > 0 && unpacker->ok(); --count) {
    const uint64_t range = unpacker->Below(ranges.size());
    const Amount objects = UnpackPlain((head & 1) != 0, unpacker);
    if (unpacker->ok()) buckets->push_back({ranges[range].first, ranges[range].second, objects});
  }
}

Buckets WithKnownRanges(Buckets buckets, RangeNumbers* ranges) {
  for (profile::Bucket& bucket : buckets) {
    std::tie(bucket.from, bucket.to) = (*ranges)[ranges->Of({bucket.from, bucket.to})];
  }
  return buckets;
}

// 0 and all of it, or 1 and the buckets that changed, as steps.
void PackHistogramAfter(const Buckets& before, const Buckets& now, RangeNumbers* ranges, Packer* packer) {
  const Buckets changed = Changed(before, now);
  Buckets again = before;
  for (const profile::Bucket& bucket : changed) *BucketAt({bucket.from, bucket.to}, &again) = bucket.objects;
  const bool as_steps = again == now;
  packer->Number(as_steps ? 1 : 0);
  if (!as_steps) return PackHistogram(now, ranges, packer);
  const bool plain = AllPlain(changed);
  packer->Number(changed.size() << 1 | (plain ? 1 : 0));
  again = before;
  for (const profile::Bucket& bucket : changed) {
    packer->Number(ranges->Of({bucket.from, bucket.to}));
    PackStep(*BucketAt({bucket.from, bucket.to}, &again), bucket.objects, plain, packer);
  }
}

void UnpackHistogramAfter(const std::vector<Range>& ranges, Unpacker* unpacker, Buckets* buckets) {
  if (unpacker->Below(2) == 0) {
    buckets->clear();
    return UnpackHistogram(ranges, unpacker, buckets);
  }
  const uint64_t head = unpacker->Number();
  for (uint64_t count = head >> 1; count > 0 && unpacker->ok(); --count) {
    const uint64_t range = unpacker->Below(ranges.size());
    if (!unpacker->ok()) return;
    Amount* objects = BucketAt(ranges[range], buckets);
    *objects = UnpackStep(*objects, (head & 1) != 0, unpacker);
  }
}

// ------------------------------------------------------------------------------------------------------------- samples

using Samples = std::vector<profile::LiveSample>;

// Positions of those that are gone, then those that came: both in order, as steps.
void PackSamplesAfter(const Samples& before, const Samples& now, uint64_t usual_period, Packer* packer) {
  std::vector<uint64_t> gone;
  Samples came;
  size_t old = 0, next = 0;
  while (old < before.size() || next < now.size()) {
    if (next == now.size() || (old < before.size() && before[old] < now[next])) {
      gone.push_back(old++);
    } else if (old == before.size() || now[next] < before[old]) {
      came.push_back(now[next++]);
    } else {
      ++old, ++next;
    }
  }
  packer->Number(gone.size());
  uint64_t last = 0;
  for (const uint64_t at : gone) packer->Number(at - std::exchange(last, at));
  packer->Number(came.size());
  last = 0;
  for (const profile::LiveSample& sample : came) {
    const bool usual = sample.period == usual_period;
    packer->Number(sample.id - std::exchange(last, sample.id));
    packer->Number(usual ? 1 : 0);
    packer->Number(sample.bytes);
    if (!usual) packer->Number(sample.period);
  }
}

void UnpackSamplesAfter(uint64_t usual_period, Unpacker* unpacker, Samples* samples) {
  std::vector<bool> gone(samples->size());
  uint64_t at = 0;
  for (uint64_t count = unpacker->Count(); count > 0 && unpacker->ok(); --count) {
    at += unpacker->Below(samples->size());
    if (at >= samples->size()) unpacker->Fail();
    if (unpacker->ok()) gone[at] = true;
  }
  Samples left, came;
  for (size_t i = 0; i < samples->size(); ++i) {
    if (!gone[i]) left.push_back((*samples)[i]);
  }
  uint64_t id = 0;
  for (uint64_t count = unpacker->Count(); count > 0 && unpacker->ok(); --count) {
    id += unpacker->Below(uint64_t{1} << 32);
    const bool usual = unpacker->Below(2) != 0;
    const uint64_t bytes = unpacker->Number();
    const uint64_t period = usual ? usual_period : unpacker->Number();
    came.push_back({static_cast<uint32_t>(id), bytes, period});
  }
  samples->clear();
  std::sort(came.begin(), came.end());  // what is not in order is no harm
  std::merge(left.begin(), left.end(), came.begin(), came.end(), std::back_inserter(*samples));
}

}  // namespace heaptally::store
