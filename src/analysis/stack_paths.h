// For stack_tree: from each site the way through the tree that its stack takes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/stack_tree.h"

namespace heaptally::analysis {

struct StackPath {
  const profile::Measures* measures = nullptr;
  uint32_t first = 0, length = 0;  // in StackPaths::frames
};

struct StackPaths {
  std::vector<StackPath> paths;  // of sites that have anything of the measure
  std::vector<uint32_t> frames;  // from the tree's root on

  std::span<const uint32_t> Of(const StackPath& path) const { return {frames.data() + path.first, path.length}; }
};

StackPaths PathsOf(const std::vector<const profile::Profile*>& profiles, const TreeQuestion& question,
                   FrameTable* table);

}  // namespace heaptally::analysis
