// The bulk of a capture: stacks as one tree, then sites. A compiler's run has 170,000 sites in a tree of 860,000 nodes;
// what is equal to its usual value takes no room (live = allocated - freed; peak = live), and ranges of histograms
// stand once.
#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "base/hash.h"
#include "store/profile_blobs.h"

namespace heaptally::store {
namespace {

using profile::Amount;
using profile::Measures;
using profile::Site;

constexpr uint64_t kMaxDepth = 1 << 16;             // frames of a stack
constexpr uint64_t kMaxFrames = uint64_t{1} << 28;  // of all stacks together: 1 GiB

// ------------------------------------------------------------------------------------------------------------ measures

constexpr size_t kAmounts = 13;

template <typename SomeMeasures>
auto AmountsOf(SomeMeasures& m) {
  return std::array{&m.allocated.objects, &m.allocated.bytes,   &m.freed.objects, &m.freed.bytes,
                    &m.live.objects,      &m.live.bytes,        &m.peak.objects,  &m.peak.bytes,
                    &m.reallocs,          &m.reallocs_in_place, &m.temporary,     &m.peak_whole.objects,
                    &m.peak_whole.bytes};
}
constexpr size_t kLive = 4, kPeak = 6;  // in that order

// What amount `i` most often is, given those before it.
template <typename Amounts>
Amount Expected(const Amounts& amounts, size_t i) {
  if (i == kPeak || i == kPeak + 1) return *amounts[i - kPeak + kLive];
  if (i != kLive && i != kLive + 1) return {};
  const Amount &allocated = *amounts[i - kLive], &freed = *amounts[i - kLive + 2];
  return {allocated.proven - freed.proven, 0, 0, 0};
}

void PackAmount(const Amount& amount, Packer* packer) {
  const bool estimated = amount.inferred != 0 || amount.variance != 0 || amount.samples != 0;
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

// An amount that is a plain number takes that number alone where `exact` says so for all of a site.
void PackPlain(const Amount& amount, bool exact, Packer* packer) {
  exact ? packer->Number(amount.proven) : PackAmount(amount, packer);
}

Amount UnpackPlain(bool exact, Unpacker* unpacker) {
  return exact ? Amount{unpacker->Number(), 0, 0, 0} : UnpackAmount(unpacker);
}

bool IsPlain(const Amount& amount) { return amount.inferred == 0 && amount.variance == 0 && amount.samples == 0; }

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
  const bool more = measures.period != 0 || measures.floor_bytes != UINT64_MAX || measures.peak_most_proven != 0;
  packer->Number(mask | (plain ? 1u << kAmounts : 0) | (more ? 2u << kAmounts : 0));
  for (size_t i = 0; i < kAmounts; ++i) {
    if ((mask >> i & 1) != 0) PackPlain(*amounts[i], plain, packer);
  }
  if (!more) return;
  packer->Real(measures.period);
  packer->Number(measures.floor_bytes + 1);
  packer->Number(measures.peak_most_proven);
}

Measures UnpackMeasures(Unpacker* unpacker) {
  Measures measures;
  const auto amounts = AmountsOf(measures);
  const uint64_t mask = unpacker->Below(4u << kAmounts);
  const bool plain = (mask >> kAmounts & 1) != 0, more = (mask >> kAmounts & 2) != 0;
  for (size_t i = 0; i < kAmounts; ++i) {
    *amounts[i] = (mask >> i & 1) != 0 ? UnpackPlain(plain, unpacker) : Expected(amounts, i);
  }
  if (!more) return measures;
  measures.period = unpacker->Real();
  measures.floor_bytes = unpacker->Number() - 1;
  measures.peak_most_proven = unpacker->Number();
  return measures;
}

namespace {

// ---------------------------------------------------------------------------------------------------------------- tree

// Node 0 is the root. Written as the step back to the parent, and the frame.
class StackTree {
 public:
  // Sites come in the order in which they were first met, so most share their outer frames with the one before: only
  // the rest of a stack is looked up.
  uint32_t NodeOf(const std::vector<uint32_t>& frames) {
    size_t depth = 0;
    while (depth < path_.size() && depth < frames.size() && path_[depth].frame == frames[frames.size() - 1 - depth])
      ++depth;
    path_.resize(depth);
    for (; depth < frames.size(); ++depth) {
      const uint32_t frame = frames[frames.size() - 1 - depth], parent = depth == 0 ? 0 : path_[depth - 1].node;
      path_.push_back({frame, ChildOf(parent, frame)});
    }
    return path_.empty() ? 0 : path_.back().node;
  }
  uint32_t count() const { return count_; }
  const std::string& bytes() const { return nodes_.bytes(); }

 private:
  struct KeyHash {
    size_t operator()(uint64_t key) const { return base::Mix64(key); }
  };
  struct Step {
    uint32_t frame;
    uint32_t node;
  };

  uint32_t ChildOf(uint32_t parent, uint32_t frame) {
    const auto [at, added] = children_.try_emplace(uint64_t{parent} << 32 | frame, count_ + 1);
    if (added) {
      nodes_.Number(++count_ - parent);
      nodes_.Number(frame);
    }
    return at->second;
  }

  std::vector<Step> path_;  // of the last stack, outermost first
  std::unordered_map<uint64_t, uint32_t, KeyHash> children_;
  Packer nodes_;
  uint32_t count_ = 0;
};

struct ReadNode {
  uint32_t parent = 0;
  uint32_t frame = 0;
  uint32_t depth = 0;
};

std::vector<ReadNode> UnpackTree(size_t frames, Unpacker* unpacker) {
  std::vector<ReadNode> nodes(1);
  for (uint64_t count = unpacker->Count(); count > 0 && unpacker->ok(); --count) {
    const uint64_t back = unpacker->Below(nodes.size() + 1), frame = unpacker->Below(frames);
    if (back == 0) unpacker->Fail();
    if (!unpacker->ok()) break;
    const auto parent = static_cast<uint32_t>(nodes.size() - back);
    nodes.push_back({parent, static_cast<uint32_t>(frame), nodes[parent].depth + 1});
    if (nodes.back().depth > kMaxDepth) unpacker->Fail();
  }
  return nodes;
}

// ---------------------------------------------------------------------------------------------------------- histograms

using Range = std::pair<uint64_t, uint64_t>;

class RangeNumbers {
 public:
  uint64_t Of(const profile::Bucket& bucket) {
    const auto [at, added] = numbers_.try_emplace({bucket.from, bucket.to}, numbers_.size());
    if (added) {
      ranges_.Number(bucket.from);
      ranges_.Number(bucket.to);
    }
    return at->second;
  }
  size_t count() const { return numbers_.size(); }
  const std::string& bytes() const { return ranges_.bytes(); }

 private:
  std::map<Range, uint64_t> numbers_;
  Packer ranges_;
};

void PackHistogram(const std::vector<profile::Bucket>& buckets, RangeNumbers* ranges, Packer* packer) {
  const bool plain =
      std::all_of(buckets.begin(), buckets.end(), [](const auto& bucket) { return IsPlain(bucket.objects); });
  packer->Number(buckets.size() << 1 | (plain ? 1 : 0));
  for (const profile::Bucket& bucket : buckets) {
    packer->Number(ranges->Of(bucket));
    PackPlain(bucket.objects, plain, packer);
  }
}

void UnpackHistogram(const std::vector<Range>& ranges, Unpacker* unpacker, std::vector<profile::Bucket>* buckets) {
  const uint64_t head = unpacker->Number();
  for (uint64_t count = head >> 1; count > 0 && unpacker->ok(); --count) {
    const uint64_t range = unpacker->Below(ranges.size());
    const Amount objects = UnpackPlain((head & 1) != 0, unpacker);
    if (unpacker->ok()) buckets->push_back({ranges[range].first, ranges[range].second, objects});
  }
}

// --------------------------------------------------------------------------------------------------------------- sites

constexpr uint64_t kTruncated = 1, kOther = 2, kTorn = 4, kHasOldest = 8, kHasThread = 16, kFlags = 32;

uint64_t FlagsOf(const Site& site) {
  uint64_t flags = 0;
  if (site.truncated) flags |= kTruncated;
  if (site.other) flags |= kOther;
  if (site.torn) flags |= kTorn;
  if (site.oldest_ns) flags |= kHasOldest;
  if (!site.thread.empty()) flags |= kHasThread;
  return flags;
}

class WordNumbers {
 public:
  uint64_t Of(const std::string& word) {
    const auto [at, added] = numbers_.try_emplace(word, numbers_.size());
    if (added) words_.Text(word);
    return at->second;
  }
  size_t count() const { return numbers_.size(); }
  const std::string& bytes() const { return words_.bytes(); }

 private:
  std::map<std::string, uint64_t> numbers_;
  Packer words_;
};

std::string WithCount(size_t count, const std::string& bytes) {
  Packer packer;
  packer.Number(count);
  return packer.bytes() + bytes;
}

struct Tables {
  std::vector<std::string> words;
  std::vector<Range> ranges;
  std::vector<ReadNode> nodes;
};

void UnpackSite(const Tables& tables, uint64_t* all_frames, uint64_t* last_id, uint64_t* last_node, Unpacker* unpacker,
                Site* site) {
  const auto word = [&]() -> std::string {
    const uint64_t number = unpacker->Below(tables.words.size());
    return unpacker->ok() ? tables.words[number] : "";
  };
  *last_id += static_cast<uint64_t>(unpacker->Signed());
  *last_node += static_cast<uint64_t>(unpacker->Signed());
  const uint64_t flags = unpacker->Below(kFlags);
  if (*last_node >= tables.nodes.size()) unpacker->Fail();
  if (!unpacker->ok()) return;
  site->id = static_cast<uint32_t>(*last_id);
  site->truncated = (flags & kTruncated) != 0;
  site->other = (flags & kOther) != 0;
  site->torn = (flags & kTorn) != 0;
  site->memory_class = word();
  site->truncated_why = word();
  if ((flags & kHasThread) != 0) site->thread = word();
  if ((flags & kHasOldest) != 0) site->oldest_ns = unpacker->Number();
  const auto node = static_cast<uint32_t>(*last_node);
  *all_frames += tables.nodes[node].depth;
  if (*all_frames > kMaxFrames) unpacker->Fail();
  if (!unpacker->ok()) return;
  site->frames.reserve(tables.nodes[node].depth);
  for (uint32_t at = node; at != 0; at = tables.nodes[at].parent) site->frames.push_back(tables.nodes[at].frame);
  site->measures = UnpackMeasures(unpacker);
  UnpackHistogram(tables.ranges, unpacker, &site->sizes);
  UnpackHistogram(tables.ranges, unpacker, &site->lifetimes_ns);
}

}  // namespace

// words, ranges, tree, sites: each a count and its items.
std::string PackSites(const profile::Profile& profile) {
  StackTree tree;
  RangeNumbers ranges;
  WordNumbers words;
  Packer body;
  int64_t last_id = 0, last_node = 0;
  for (const Site& site : profile.sites) {
    const int64_t node = tree.NodeOf(site.frames);
    body.Signed(int64_t{site.id} - last_id);
    body.Signed(node - last_node);
    last_id = site.id;
    last_node = node;
    body.Number(FlagsOf(site));
    body.Number(words.Of(site.memory_class));
    body.Number(words.Of(site.truncated_why));
    if (!site.thread.empty()) body.Number(words.Of(site.thread));
    if (site.oldest_ns) body.Number(*site.oldest_ns);
    PackMeasures(site.measures, &body);
    PackHistogram(site.sizes, &ranges, &body);
    PackHistogram(site.lifetimes_ns, &ranges, &body);
  }
  return WithCount(words.count(), words.bytes()) + WithCount(ranges.count(), ranges.bytes()) +
         WithCount(tree.count(), tree.bytes()) + WithCount(profile.sites.size(), body.bytes());
}

bool UnpackSites(std::string_view blob, profile::Profile* profile) {
  Unpacker unpacker(blob);
  Tables tables;
  for (uint64_t count = unpacker.Count(); count > 0 && unpacker.ok(); --count) tables.words.push_back(unpacker.Text());
  for (uint64_t count = unpacker.Count(); count > 0 && unpacker.ok(); --count) {
    const uint64_t from = unpacker.Number();
    tables.ranges.emplace_back(from, unpacker.Number());
  }
  tables.nodes = UnpackTree(profile->frames.size(), &unpacker);
  uint64_t all_frames = 0, last_id = 0, last_node = 0;
  for (uint64_t count = unpacker.Count(); count > 0 && unpacker.ok(); --count) {
    UnpackSite(tables, &all_frames, &last_id, &last_node, &unpacker, &profile->sites.emplace_back());
  }
  return unpacker.done();
}

}  // namespace heaptally::store
