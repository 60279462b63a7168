// Which nodes of a stack tree are worth a row, and how they stand under each other.
//
// Functions that only pass on what they got - one child, and next to nothing beside it - are one row with it: a chain.
// Rows are chosen from the largest on, so that a screen holds the largest branching points, wherever in the tree they
// are.
#pragma once

#include <optional>

#include "analysis/stack_tree.h"

namespace heaptally::analysis {

struct TreeRow {
  std::vector<uint32_t> chain;  // nodes; the first one's total is the row's, the last one's self
  uint32_t indent = 0;          // rows above it in the tree
};

struct TreeRows {
  std::vector<TreeRow> rows;  // in the order of the tree
  size_t more = 0;            // rows that `limit` has left out
};

// `join`: chains as one row; what is lost along a link is below that share of the whole. Nothing: each node has its own.
TreeRows ChooseRows(const StackTree& tree, By by, size_t limit, std::optional<double> join);

}  // namespace heaptally::analysis
