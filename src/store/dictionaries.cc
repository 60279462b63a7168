#include "store/dictionaries.h"

namespace heaptally::store {
namespace {

constexpr uint64_t kAsGoodAsEqual = 256;  // one in so many

bool Near(uint64_t a, uint64_t b) { return (a > b ? a - b : b - a) <= b / kAsGoodAsEqual; }

}  // namespace

uint64_t RangeNumbers::Of(const Range& range) {
  if (const auto known = numbers_.find(range); known != numbers_.end()) return known->second;
  for (size_t i = 0; i < old_; ++i) {
    if (Near(range.first, ranges_[i].first) && Near(range.second, ranges_[i].second)) return numbers_[range] = i;
  }
  Packer* item = fresh_.Add();
  item->Number(range.first);
  item->Number(range.second);
  ranges_.push_back(range);
  return numbers_[range] = ranges_.size() - 1;
}

uint32_t StackTree::NodeOf(const std::vector<uint32_t>& frames) {
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

uint32_t StackTree::ChildOf(uint32_t parent, uint32_t frame) {
  const auto [at, added] = children_.try_emplace(KeyOf(parent, frame), count_ + 1);
  if (added) {
    Packer* item = fresh_.Add();
    item->Number(++count_ - parent);
    item->Number(frame);
  }
  return at->second;
}

}  // namespace heaptally::store
