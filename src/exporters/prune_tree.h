// A tree of at most so many nodes: the smallest go, what they held stays.
#pragma once

#include "exporters/call_tree.h"

namespace heaptally::exporters {

struct Pruned {
  size_t nodes = 0;  // that were left out; 0: nothing was
  double share = 0;  // no more than this share of every measure's total lay in any of them
};

// Leaves out the nodes whose share of every column's total is smallest, until about `most_nodes` are left. The leaves
// under a node that goes move to one child, "[small parts]", of the last caller that stays; they keep their places.
Pruned PruneTree(size_t most_nodes, CallTree* tree, StringTable* strings);

}  // namespace heaptally::exporters
