#include "exporters/prune_tree.h"

#include <algorithm>

namespace heaptally::exporters {
namespace {

// Of each node, the largest of its shares of the columns' totals.
std::vector<double> LargestShares(const CallTree& tree) {
  const size_t count = tree.nodes.size();
  std::vector<double> shares(count), sums(count);
  for (size_t column = 0; column < kLeafColumns; ++column) {
    std::fill(sums.begin(), sums.end(), 0);
    for (const CallLeaf& leaf : tree.leaves) sums[leaf.node] += leaf.amounts[column].value();
    for (size_t node = count; --node > 0;) sums[tree.nodes[node].parent] += sums[node];
    if (!(sums[0] > 0)) continue;
    for (size_t node = 0; node < count; ++node) shares[node] = std::max(shares[node], sums[node] / sums[0]);
  }
  return shares;
}

struct Copier {
  const CallTree& from;
  const std::vector<double>& shares;
  double cut;
  uint32_t small_function;
  std::vector<CallNode> nodes;
  std::vector<uint32_t> place;  // of each old node in `nodes`

  // The small children of a parent meet in one, which has no children of its own: preorder stays preorder.
  void Run() {
    std::vector<uint32_t> small_child(from.nodes.size(), kNone);
    place.resize(from.nodes.size());
    nodes.push_back(from.nodes[0]);
    for (uint32_t node = 1; node < from.nodes.size(); ++node) {
      const uint32_t parent = from.nodes[node].parent;
      if (parent != 0 && shares[parent] <= cut) {
        place[node] = place[parent];
      } else if (shares[node] > cut) {
        place[node] = Append(from.nodes[node], parent);
      } else {
        if (small_child[parent] == kNone) small_child[parent] = Append({.function = small_function}, parent);
        place[node] = small_child[parent];
      }
    }
  }

  uint32_t Append(CallNode node, uint32_t old_parent) {
    node.parent = place[old_parent];
    nodes.push_back(node);
    return static_cast<uint32_t>(nodes.size() - 1);
  }
};

}  // namespace

Pruned PruneTree(size_t most_nodes, CallTree* tree, StringTable* strings) {
  if (tree->nodes.size() <= most_nodes) return {};
  const std::vector<double> shares = LargestShares(*tree);
  std::vector<double> ranked = shares;
  std::nth_element(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(most_nodes), ranked.end(),
                   std::greater<>());
  const uint32_t words = strings->Index("[small parts]"), none = strings->Index("");
  tree->functions.push_back({words, words, none, none, false, true});
  Copier copier{*tree, shares, ranked[most_nodes], static_cast<uint32_t>(tree->functions.size() - 1), {}, {}};
  copier.Run();
  const Pruned pruned = {tree->nodes.size() - copier.nodes.size(), copier.cut};
  tree->nodes = std::move(copier.nodes);
  for (CallLeaf& leaf : tree->leaves) leaf.node = copier.place[leaf.node];
  MergeLeaves(tree);
  return pruned;
}

}  // namespace heaptally::exporters
