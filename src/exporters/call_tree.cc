#include "exporters/call_tree.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "exporters/child_index.h"
#include "exporters/frame_table.h"

namespace heaptally::exporters {
namespace {

class Builder {
 public:
  Builder(const Wording& wording, StringTable* strings)
      : allocator_frames_(wording.allocator_frames), functions_(wording, strings) {
    tree_.nodes.emplace_back();
  }

  void Add(const profile::Profile& profile, uint32_t number);
  CallTree Done();

 private:
  uint32_t Child(uint32_t parent, uint32_t function);
  uint32_t Node(const std::vector<TableFrame>& root_first);
  uint32_t Place(const TableFrame& frame);
  void IntoPreorder();

  const bool allocator_frames_;
  FunctionTable functions_;
  CallTree tree_;
  std::vector<uint32_t> path_;  // the nodes of the last stack: the next one mostly shares them
  ChildIndex children_;
  std::map<CallPlace, uint32_t> places_;
};

uint32_t Builder::Child(uint32_t parent, uint32_t function) {
  uint32_t& node = children_.At(parent, function);
  if (node == kNone) {
    node = static_cast<uint32_t>(tree_.nodes.size());
    tree_.nodes.push_back({.parent = parent, .function = function});
  }
  return node;
}

uint32_t Builder::Node(const std::vector<TableFrame>& root_first) {
  uint32_t node = 0;
  bool shared = true;
  for (size_t depth = 0; depth < root_first.size(); ++depth) {
    const TableFrame& frame = root_first[depth];
    shared = shared && depth < path_.size() && tree_.nodes[path_[depth]].function == frame.function;
    node = shared ? path_[depth] : Child(node, frame.function);
    if (depth >= path_.size()) path_.push_back(node);
    path_[depth] = node;
    if (frame.line == 0) continue;
    CallNode& one = tree_.nodes[node];
    one.first_line = one.first_line == 0 ? frame.line : std::min(one.first_line, frame.line);
    one.last_line = std::max(one.last_line, frame.line);
  }
  path_.resize(root_first.size());
  return node;
}

uint32_t Builder::Place(const TableFrame& frame) {
  const CallPlace place = {frame.function, frame.line};
  const auto [at, is_new] = places_.emplace(place, static_cast<uint32_t>(tree_.places.size()));
  if (is_new) tree_.places.push_back(place);
  return at->second;
}

bool IsNothing(const Amounts& amounts) {
  return std::all_of(amounts.begin(), amounts.end(), [](const profile::Amount& one) { return !(one.value() > 0); });
}

void Builder::Add(const profile::Profile& profile, uint32_t number) {
  FrameTable frames(profile, &functions_);
  std::vector<TableFrame> stack;
  TableFrame place{};
  for (const profile::Site& site : profile.sites) {
    const bool mapped = site.memory_class == "mapped";
    const Amounts amounts = mapped ? AmountsOfMapped(site.measures) : AmountsOf(site.measures);
    if (IsNothing(amounts)) continue;
    frames.Stack(site, allocator_frames_, &stack, &place);
    const uint32_t node = Node(stack);
    tree_.leaves.push_back({node, Place(place), number, site.measures.floor_bytes, amounts});
  }
}

void Builder::IntoPreorder() {
  const size_t count = tree_.nodes.size();
  // Children of each node as a list, the first-made first: made by going backwards.
  std::vector<uint32_t> first_child(count, kNone), sibling(count, kNone), place(count, kNone);
  for (size_t node = count; --node > 0;) {
    sibling[node] = first_child[tree_.nodes[node].parent];
    first_child[tree_.nodes[node].parent] = static_cast<uint32_t>(node);
  }
  std::vector<CallNode> ordered;
  ordered.reserve(count);
  std::vector<uint32_t> waiting = {0};
  while (!waiting.empty()) {
    const uint32_t node = waiting.back();
    waiting.pop_back();
    if (sibling[node] != kNone) waiting.push_back(sibling[node]);
    if (first_child[node] != kNone) waiting.push_back(first_child[node]);
    place[node] = static_cast<uint32_t>(ordered.size());
    ordered.push_back(tree_.nodes[node]);
    if (node != 0) ordered.back().parent = place[tree_.nodes[node].parent];
  }
  tree_.nodes = std::move(ordered);
  for (CallLeaf& leaf : tree_.leaves) leaf.node = place[leaf.node];
}

CallTree Builder::Done() {
  IntoPreorder();
  MergeLeaves(&tree_);
  tree_.functions = functions_.Take();
  return std::move(tree_);
}

}  // namespace

void MergeLeaves(CallTree* tree) {
  const auto key = [](const CallLeaf& leaf) { return std::tie(leaf.node, leaf.place, leaf.profile); };
  std::vector<uint32_t> order(tree->leaves.size());
  for (uint32_t index = 0; index < order.size(); ++index) order[index] = index;
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const auto one = key(tree->leaves[a]), other = key(tree->leaves[b]);
    return one != other ? one < other : a < b;
  });
  std::vector<CallLeaf> merged;
  merged.reserve(order.size());
  for (const uint32_t index : order) {
    const CallLeaf& leaf = tree->leaves[index];
    if (merged.empty() || key(merged.back()) != key(leaf)) {
      merged.push_back(leaf);
      continue;
    }
    for (size_t column = 0; column < kLeafColumns; ++column) merged.back().amounts[column] += leaf.amounts[column];
    merged.back().floor_bytes = std::min(merged.back().floor_bytes, leaf.floor_bytes);
  }
  tree->leaves = std::move(merged);
}

uint32_t StringTable::Index(const std::string& text) {
  const auto [at, is_new] = index_.emplace(text, static_cast<uint32_t>(strings_.size()));
  if (is_new) strings_.push_back(text);
  return at->second;
}

Amounts AmountsOf(const profile::Measures& measures) {
  return {measures.live.bytes,      measures.live.objects,      measures.peak.bytes, measures.peak.objects,
          measures.allocated.bytes, measures.allocated.objects, measures.temporary,  {}, {}};
}

Amounts AmountsOfMapped(const profile::Measures& measures) {
  Amounts out;
  out[kMappedBytes] = measures.live.bytes;
  out[kMappings] = measures.live.objects;
  return out;
}

CallTree BuildCallTree(const std::vector<const profile::Profile*>& profiles, const Wording& wording,
                       StringTable* strings) {
  Builder builder(wording, strings);
  for (uint32_t number = 0; number < profiles.size(); ++number) builder.Add(*profiles[number], number);
  return builder.Done();
}

}  // namespace heaptally::exporters
