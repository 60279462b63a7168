// The bulk of a capture: stacks as one tree, then sites. A compiler's run has 170,000 sites in a tree of 860,000 nodes.
//
// Sites of a snapshot are a list of steps over those of the snapshot before: so many are as they were, so many are gone,
// so many changed, so many are new. An unchanged site's age goes on with the clock.
#include <algorithm>
#include <cstdlib>

#include "store/measures_blob.h"
#include "store/series.h"

namespace heaptally::store {
namespace {

using profile::Site;

constexpr uint64_t kMaxDepth = 1 << 16;             // frames of a stack
constexpr uint64_t kMaxFrames = uint64_t{1} << 28;  // of all stacks together: 1 GiB
constexpr uint64_t kAgeTolerance_ns = 1'000'000;

enum Step : uint64_t { kKeep, kDrop, kChange, kWhole, kSteps };

// ---------------------------------------------------------------------------------------------------------- whole sites

constexpr uint64_t kTruncated = 1, kOther = 2, kTorn = 4, kHasOldest = 8, kHasThread = 16, kHasSamples = 32,
                   kFlags = 64;

uint64_t FlagsOf(const Site& site) {
  uint64_t flags = 0;
  if (site.truncated) flags |= kTruncated;
  if (site.other) flags |= kOther;
  if (site.torn) flags |= kTorn;
  if (site.oldest_ns) flags |= kHasOldest;
  if (!site.thread.empty()) flags |= kHasThread;
  if (!site.live_samples.empty()) flags |= kHasSamples;
  return flags;
}

// Numbers of a record are steps from those of the record before, over all kinds of records.
struct Last {
  uint64_t id = 0;
  uint64_t node = 0;
};

// The period of a damaged file may be no number at all.
uint64_t UsualPeriod(const Site& site) {
  const double period = site.measures.period;
  return period > 0 && period < 9e18 ? static_cast<uint64_t>(period) : 0;
}

void PackWhole(const Site& site, SiteDictionaries* known, Last* last, Packer* packer) {
  const uint64_t node = known->tree.NodeOf(site.frames);
  packer->Signed(static_cast<int64_t>(site.id - last->id));
  packer->Signed(static_cast<int64_t>(node - last->node));
  *last = {site.id, node};
  packer->Number(FlagsOf(site));
  packer->Number(known->words.Of(site.memory_class));
  packer->Number(known->words.Of(site.truncated_why));
  if (!site.thread.empty()) packer->Number(known->words.Of(site.thread));
  if (site.oldest_ns) packer->Number(*site.oldest_ns);
  PackMeasures(site.measures, packer);
  PackHistogram(site.sizes, &known->ranges, packer);
  PackHistogram(site.lifetimes_ns, &known->ranges, packer);
  if (!site.live_samples.empty())
    PackSamplesAfter({}, site.live_samples, UsualPeriod(site), packer);
}

void UnpackStack(uint64_t node, SeriesState* state, Unpacker* unpacker, Site* site) {
  if (node >= state->nodes.size()) return unpacker->Fail();
  state->site_frames += state->nodes[node].depth;
  if (state->site_frames > kMaxFrames) return unpacker->Fail();
  site->frames.reserve(state->nodes[node].depth);
  for (uint64_t at = node; at != 0; at = state->nodes[at].parent) site->frames.push_back(state->nodes[at].frame);
}

Site UnpackWhole(SeriesState* state, Last* last, Unpacker* unpacker) {
  Site site;
  const auto word = [&]() -> std::string {
    const uint64_t number = unpacker->Below(state->words.size());
    return unpacker->ok() ? state->words[number] : "";
  };
  last->id += static_cast<uint64_t>(unpacker->Signed());
  last->node += static_cast<uint64_t>(unpacker->Signed());
  const uint64_t flags = unpacker->Below(kFlags);
  if (!unpacker->ok()) return site;
  site.id = static_cast<uint32_t>(last->id);
  site.truncated = (flags & kTruncated) != 0;
  site.other = (flags & kOther) != 0;
  site.torn = (flags & kTorn) != 0;
  site.memory_class = word();
  site.truncated_why = word();
  if ((flags & kHasThread) != 0) site.thread = word();
  if ((flags & kHasOldest) != 0) site.oldest_ns = unpacker->Number();
  UnpackStack(last->node, state, unpacker, &site);
  if (!unpacker->ok()) return site;
  site.measures = UnpackMeasures(unpacker);
  UnpackHistogram(state->ranges, unpacker, &site.sizes);
  UnpackHistogram(state->ranges, unpacker, &site.lifetimes_ns);
  if ((flags & kHasSamples) != 0) UnpackSamplesAfter(UsualPeriod(site), unpacker, &site.live_samples);
  return site;
}

// -------------------------------------------------------------------------------------------------------- changed sites

constexpr uint64_t kNowTorn = 1, kNowOld = 2, kOldestFollows = 4, kMeasuresFollow = 8, kSizesFollow = 16,
                   kLifetimesFollow = 32, kSamplesFollow = 64, kChanges = 128;

bool SameStack(const Site& a, const Site& b) {
  return a.id == b.id && a.frames == b.frames && a.memory_class == b.memory_class && a.thread == b.thread && a.truncated == b.truncated &&
         a.truncated_why == b.truncated_why && a.other == b.other;
}

// The age of a block that is still the oldest.
std::optional<uint64_t> Aged(const std::optional<uint64_t>& oldest, int64_t ns_between) {
  return oldest ? std::optional<uint64_t>(*oldest + static_cast<uint64_t>(ns_between)) : std::nullopt;
}

bool SameAge(const std::optional<uint64_t>& a, const std::optional<uint64_t>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return (*a > *b ? *a - *b : *b - *a) <= kAgeTolerance_ns;
}

uint64_t ChangesOf(const Site& before, const Site& now, int64_t ns_between) {
  uint64_t changes = 0;
  if (now.oldest_ns && !SameAge(Aged(before.oldest_ns, ns_between), now.oldest_ns)) changes |= kOldestFollows;
  if (now.measures != before.measures) changes |= kMeasuresFollow;
  if (now.sizes != before.sizes) changes |= kSizesFollow;
  if (now.lifetimes_ns != before.lifetimes_ns) changes |= kLifetimesFollow;
  if (now.live_samples != before.live_samples) changes |= kSamplesFollow;
  const bool same = changes == 0 && now.torn == before.torn && now.oldest_ns.has_value() == before.oldest_ns.has_value();
  if (same) return 0;
  return changes | (now.torn ? kNowTorn : 0) | (now.oldest_ns ? kNowOld : 0) | kChanges;
}

void PackChange(const Site& before, const Site& now, uint64_t changes, SiteDictionaries* known, Packer* packer) {
  packer->Number(changes % kChanges);
  if ((changes & kOldestFollows) != 0) packer->Number(*now.oldest_ns);
  if ((changes & kMeasuresFollow) != 0) PackMeasuresAfter(before.measures, now.measures, packer);
  if ((changes & kSizesFollow) != 0) PackHistogramAfter(before.sizes, now.sizes, &known->ranges, packer);
  if ((changes & kLifetimesFollow) != 0)
    PackHistogramAfter(before.lifetimes_ns, now.lifetimes_ns, &known->ranges, packer);
  if ((changes & kSamplesFollow) != 0)
    PackSamplesAfter(before.live_samples, now.live_samples, UsualPeriod(now), packer);
}

void UnpackChange(int64_t ns_between, const SeriesState& state, Unpacker* unpacker, Site* site) {
  const uint64_t changes = unpacker->Below(kChanges);
  site->torn = (changes & kNowTorn) != 0;
  site->oldest_ns = Aged(site->oldest_ns, ns_between);
  if ((changes & kNowOld) == 0) site->oldest_ns.reset();
  if ((changes & kOldestFollows) != 0) site->oldest_ns = unpacker->Number();
  if ((changes & kMeasuresFollow) != 0) UnpackMeasuresAfter(unpacker, &site->measures);
  if ((changes & kSizesFollow) != 0) UnpackHistogramAfter(state.ranges, unpacker, &site->sizes);
  if ((changes & kLifetimesFollow) != 0) UnpackHistogramAfter(state.ranges, unpacker, &site->lifetimes_ns);
  if ((changes & kSamplesFollow) != 0) UnpackSamplesAfter(UsualPeriod(*site), unpacker, &site->live_samples);
}

// ----------------------------------------------------------------------------------------------------------- the steps

// A run of equal steps, and the records behind it.
class Steps {
 public:
  Packer* Add(Step step) {
    if (step != step_) Close();
    step_ = step;
    ++count_;
    return &records_;
  }
  std::string Take() {
    Close();
    return all_.bytes();
  }

 private:
  void Close() {
    if (count_ != 0) {
      all_.Number(count_ * kSteps + step_);
      all_.Append(records_.bytes());
    }
    count_ = 0;
    records_ = {};
  }
  Step step_ = kKeep;
  uint64_t count_ = 0;
  Packer records_, all_;
};

class SitesUnpacking {
 public:
  SitesUnpacking(int64_t ns_between, SeriesState* state, Unpacker* unpacker)
      : ns_between_(ns_between), state_(state), unpacker_(unpacker), before_(std::move(state->last.sites)) {}

  // Returns false at the end of the blob or at a fault.
  bool Next() {
    if (!unpacker_->ok() || unpacker_->done()) return false;
    const uint64_t head = unpacker_->Number();
    for (uint64_t count = head / kSteps; count > 0 && unpacker_->ok(); --count) {
      const auto step = static_cast<Step>(head % kSteps);
      if (step == kWhole) {
        now_.push_back(UnpackWhole(state_, &last_, unpacker_));
        continue;
      }
      if (at_ == before_.size()) unpacker_->Fail();
      if (!unpacker_->ok()) return false;
      Site& site = before_[at_++];
      if (step == kDrop) continue;
      if (step == kKeep) site.oldest_ns = Aged(site.oldest_ns, ns_between_);
      if (step == kChange) UnpackChange(ns_between_, *state_, unpacker_, &site);
      now_.push_back(std::move(site));
    }
    return unpacker_->ok();
  }
  std::vector<Site> Take() { return std::move(now_); }

 private:
  int64_t ns_between_;
  SeriesState* state_;
  Unpacker* unpacker_;
  std::vector<Site> before_, now_;
  size_t at_ = 0;
  Last last_;
};

bool UnpackDictionaries(SeriesState* state, Unpacker* unpacker) {
  for (uint64_t count = unpacker->Count(); count > 0 && unpacker->ok(); --count)
    state->words.push_back(unpacker->Text());
  for (uint64_t count = unpacker->Count(); count > 0 && unpacker->ok(); --count) {
    const uint64_t from = unpacker->Number();
    state->ranges.emplace_back(from, unpacker->Number());
  }
  std::vector<StackNode>& nodes = state->nodes;
  for (uint64_t count = unpacker->Count(); count > 0 && unpacker->ok(); --count) {
    const uint64_t back = unpacker->Below(nodes.size() + 1), frame = unpacker->Below(state->last.frames.size());
    if (back == 0) unpacker->Fail();
    if (!unpacker->ok()) return false;
    const auto parent = static_cast<uint32_t>(nodes.size() - back);
    nodes.push_back({parent, static_cast<uint32_t>(frame), nodes[parent].depth + 1});
    if (nodes.back().depth > kMaxDepth) unpacker->Fail();
  }
  return unpacker->ok();
}

}  // namespace

// words, ranges, tree: a count and the new items of each; then the steps.
std::string PackSites(const std::vector<Site>& before, const std::vector<Site>& sites, int64_t ns_between,
                      SiteDictionaries* known) {
  Steps steps;
  Last last;
  size_t at = 0;
  for (const Site& given : sites) {
    for (; at < before.size() && before[at].id < given.id; ++at) steps.Add(kDrop);
    if (at == before.size() || !SameStack(before[at], given)) {
      PackWhole(given, known, &last, steps.Add(kWhole));
      continue;
    }
    Site now = given;
    now.sizes = WithKnownRanges(std::move(now.sizes), &known->ranges);
    now.lifetimes_ns = WithKnownRanges(std::move(now.lifetimes_ns), &known->ranges);
    const uint64_t changes = ChangesOf(before[at], now, ns_between);
    Packer* packer = steps.Add(changes != 0 ? kChange : kKeep);
    if (changes != 0) PackChange(before[at], now, changes, known, packer);
    ++at;
  }
  for (; at < before.size(); ++at) steps.Add(kDrop);
  const std::string body = steps.Take();
  return known->words.TakeNew() + known->ranges.TakeNew() + known->tree.TakeNew() + body;
}

bool UnpackSites(std::string_view blob, int64_t ns_between, SeriesState* state) {
  Unpacker unpacker(blob);
  if (!UnpackDictionaries(state, &unpacker)) return false;
  SitesUnpacking sites(ns_between, state, &unpacker);
  while (sites.Next()) {
  }
  state->last.sites = sites.Take();
  return unpacker.done();
}

bool UnpackWholeSites(std::string_view blob, SeriesState* state) {
  Unpacker unpacker(blob);
  if (!UnpackDictionaries(state, &unpacker)) return false;
  Last last;
  for (uint64_t count = unpacker.Count(); count > 0 && unpacker.ok(); --count)
    state->last.sites.push_back(UnpackWhole(state, &last, &unpacker));
  return unpacker.done();
}

}  // namespace heaptally::store
