// A tree of calls as text: chains of functions that only pass on in one row, numbers before the names.
#pragma once

#include <string>

#include "analysis/stack_tree.h"
#include "cli/units.h"

namespace heaptally::cli {

struct TreeView {
  size_t width = 80;
  size_t limit = 20;  // rows
  NumberStyle style;
  std::string by_words;     // "live"
  double whole = 0;         // of all stacks of the report, for the shares
};

// "" if there is nothing to show.
std::string RenderStackTree(const analysis::StackTree& tree, const analysis::TreeQuestion& question,
                            const analysis::FrameTable& table, const TreeView& view);

}  // namespace heaptally::cli
