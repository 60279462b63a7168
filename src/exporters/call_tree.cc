#include "exporters/call_tree.h"

#include <algorithm>
#include <unordered_map>

namespace heaptally::exporters {
namespace {

using analysis::StackFrame;

class Builder {
 public:
  Builder(const Wording& wording, StringTable* strings) : wording_(wording), strings_(*strings) {
    tree_.nodes.emplace_back();
  }

  void Add(const profile::Profile& profile);
  CallTree Done(bool sampled);

 private:
  uint32_t Function(const StackFrame& frame);
  uint32_t Child(uint32_t parent, const StackFrame& frame);
  uint32_t Place(const std::vector<StackFrame>& root_first);
  void AddSite(const profile::Profile& profile, const profile::Site& site,
               const std::array<uint64_t, kMeasures.size()>& values);
  void SumUp();

  const Wording& wording_;
  StringTable& strings_;
  CallTree tree_;
  std::unordered_map<std::string, uint32_t> seen_;
  std::map<FunctionKey, uint32_t> functions_;
  std::unordered_map<uint64_t, uint32_t> children_;  // parent and function -> node
  std::map<CallPlace, uint32_t> places_;
  std::vector<const profile::Measures*> measures_;  // of each leaf
};

// Making a name readable costs microseconds and frames come a million times, hence seen_.
uint32_t Builder::Function(const StackFrame& frame) {
  std::string raw = frame.function + '\n' + frame.file + '\n' + frame.module;
  if (frame.function.empty()) raw += '\n' + std::to_string(frame.address);
  if (const auto seen = seen_.find(raw); seen != seen_.end()) return seen->second;
  const FunctionKey key = {strings_.Index(wording_.short_name(frame)), strings_.Index(wording_.whole_name(frame)),
                           strings_.Index(frame.file), strings_.Index(frame.module)};
  const auto [at, is_new] = functions_.emplace(key, tree_.functions.size());
  if (is_new) tree_.functions.push_back(key);
  seen_.emplace(std::move(raw), at->second);
  return at->second;
}

uint32_t Builder::Child(uint32_t parent, const StackFrame& frame) {
  const uint32_t function = Function(frame);
  const auto [at, is_new] =
      children_.emplace(uint64_t{parent} << 32 | function, static_cast<uint32_t>(tree_.nodes.size()));
  if (is_new) tree_.nodes.push_back({parent, function, frame.line, frame.line});
  CallNode& node = tree_.nodes[at->second];
  if (frame.line != 0) {
    node.first_line = node.first_line == 0 ? frame.line : std::min(node.first_line, frame.line);
    node.last_line = std::max(node.last_line, frame.line);
  }
  return at->second;
}

uint32_t Builder::Place(const std::vector<StackFrame>& root_first) {
  const std::vector<StackFrame> stack(root_first.rbegin(), root_first.rend());
  const StackFrame& frame = stack[analysis::PlaceFrame(stack, wording_.taste)];
  const CallPlace place = {Function(frame), frame.line};
  const auto [at, is_new] = places_.emplace(place, tree_.places.size());
  if (is_new) tree_.places.push_back(place);
  return at->second;
}

void Builder::AddSite(const profile::Profile& profile, const profile::Site& site,
                      const std::array<uint64_t, kMeasures.size()>& values) {
  const std::vector<StackFrame> stack = ShownStack(profile, site, wording_);
  uint32_t node = 0;
  for (const StackFrame& frame : stack) node = Child(node, frame);
  tree_.leaves.push_back({node, Place(stack), values});
  measures_.push_back(&site.measures);
}

void Builder::Add(const profile::Profile& profile) {
  std::array<std::vector<uint64_t>, kMeasures.size()> columns;
  for (size_t m = 0; m < kMeasures.size(); ++m) columns[m] = WholeNumbers(profile, kMeasures[m].by);
  for (size_t index = 0; index < profile.sites.size(); ++index) {
    std::array<uint64_t, kMeasures.size()> values;
    for (size_t m = 0; m < kMeasures.size(); ++m) values[m] = columns[m][index];
    const bool empty = std::all_of(values.begin(), values.end(), [](uint64_t value) { return value == 0; });
    if (!empty) AddSite(profile, profile.sites[index], values);
  }
  tree_.totals += profile.totals;
}

void Builder::SumUp() {
  tree_.node_sums.resize(tree_.nodes.size());
  tree_.place_sums.resize(tree_.places.size());
  for (size_t index = 0; index < tree_.leaves.size(); ++index) {
    tree_.node_sums[tree_.leaves[index].node] += *measures_[index];
    tree_.place_sums[tree_.leaves[index].place] += *measures_[index];
  }
  for (size_t node = tree_.nodes.size(); --node > 0;) {
    tree_.node_sums[tree_.nodes[node].parent] += tree_.node_sums[node];
  }
  tree_.node_sums[0] = tree_.totals;  // which know more: the whole sample's own peak
}

CallTree Builder::Done(bool sampled) {
  if (sampled) SumUp();
  return std::move(tree_);
}

}  // namespace

uint32_t StringTable::Index(const std::string& text) {
  const auto [at, is_new] = index_.emplace(text, strings_.size());
  if (is_new) strings_.push_back(text);
  return at->second;
}

CallTree BuildCallTree(const std::vector<const profile::Profile*>& profiles, const Wording& wording,
                       StringTable* strings) {
  Builder builder(wording, strings);
  bool sampled = false;
  for (const profile::Profile* profile : profiles) {
    builder.Add(*profile);
    sampled = sampled || !profile::IsExact(profile->totals);
  }
  return builder.Done(sampled);
}

}  // namespace heaptally::exporters
