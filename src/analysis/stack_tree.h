// The stacks of some profiles as a tree of functions: callers on top (top-down), or what allocates on top and its
// callers under it (bottom-up); of all stacks, or of those through certain functions (callers, callees).
//
// A node sums the stacks that go through it; each stack is in one node of each level, so that a level and what was left
// out at it add up to the level above, and nothing is counted twice, however often a function occurs in a stack: its
// outermost occurrence counts. Nodes below a share of the whole are left out, and their sums stay in their parents.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/frame_table.h"
#include "analysis/ranking.h"

namespace heaptally::analysis {

struct TreeQuestion {
  enum class Direction { kTopDown, kBottomUp };
  By by = By::kLive;
  Direction direction = Direction::kTopDown;
  // Functions (numbers of the table) through which the stacks must go; the tree then begins at the outermost of them:
  // bottom-up it holds their callers, top-down their callees. Empty: all stacks, from their ends.
  std::vector<bool> through;
  // Nothing is folded; else plumbing and direct recursion are, as long as anything else is left of a stack.
  bool full = false;
  double least_share = 0.01;  // of the whole
};

struct TreeNode {
  uint32_t parent = 0;
  uint32_t frame = 0;                      // in the table; meaningless in the root
  uint32_t first_line = 0, last_line = 0;  // of the function's lines in these stacks; 0: not known
  profile::Measures total;
  profile::Measures self;  // of stacks that end here
  std::vector<uint32_t> children;
  uint32_t left_out = 0;  // children too small to be here
};

// nodes[0] is the root, whose total is that of all stacks of the tree; parents stand before their children, and
// children are ordered by the lower end of what `by` says, largest first.
struct StackTree {
  std::vector<TreeNode> nodes;
};

// Sites of class mapped are not in it. `table` is of the same profiles.
StackTree BuildStackTree(const std::vector<const profile::Profile*>& profiles, const TreeQuestion& question,
                         FrameTable* table);

}  // namespace heaptally::analysis
