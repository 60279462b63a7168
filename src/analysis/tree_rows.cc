#include "analysis/tree_rows.h"

#include <queue>

namespace heaptally::analysis {
namespace {

class Chooser {
 public:
  Chooser(const StackTree& tree, By by, std::optional<double> join)
      : tree_(tree), by_(by), may_lose_(join ? *join * Total(0) : -1) {}

  TreeRows Choose(size_t limit) {
    // A row that may be taken next; of equals the one that was met first.
    struct Candidate {
      sampling::Estimate rank;
      uint32_t node, number;
    };
    const auto later = [](const Candidate& a, const Candidate& b) {
      if (RanksBefore(b.rank, a.rank)) return true;
      return !RanksBefore(a.rank, b.rank) && a.number > b.number;
    };
    std::priority_queue<Candidate, std::vector<Candidate>, decltype(later)> next(later);
    std::vector<bool> chosen(tree_.nodes.size());
    uint32_t number = 0;
    const auto offer = [&](uint32_t node) {
      for (const uint32_t child : tree_.nodes[node].children)
        next.push({Ranked(tree_.nodes[child].total, by_), child, number++});
    };
    TreeRows out;
    offer(0);
    for (size_t taken = 0; !next.empty(); ++taken) {
      const uint32_t node = next.top().node;
      next.pop();
      if (taken < limit) chosen[node] = true;
      if (taken >= limit) ++out.more;
      offer(ChainFrom(node).back());
    }
    Write(0, 0, chosen, &out);
    return out;
  }

 private:
  double Total(uint32_t node) const { return RankedAmount(tree_.nodes[node].total, by_).value(); }

  std::vector<uint32_t> ChainFrom(uint32_t node) const {
    std::vector<uint32_t> chain = {node};
    while (tree_.nodes[chain.back()].children.size() == 1) {
      const uint32_t child = tree_.nodes[chain.back()].children[0];
      const double lost = Total(node) - Total(child);
      if (lost > may_lose_) break;
      chain.push_back(child);
    }
    return chain;
  }

  // Depth first, without recursion: stacks may be deep.
  void Write(uint32_t root, uint32_t indent, const std::vector<bool>& chosen, TreeRows* out) const {
    std::vector<std::pair<uint32_t, uint32_t>> waiting = {{root, indent}};
    bool first = true;
    while (!waiting.empty()) {
      const auto [node, depth] = waiting.back();
      waiting.pop_back();
      uint32_t last = node;
      if (!first) {
        out->rows.push_back({ChainFrom(node), depth});
        last = out->rows.back().chain.back();
      }
      const std::vector<uint32_t>& children = tree_.nodes[last].children;
      for (auto child = children.rbegin(); child != children.rend(); ++child) {
        if (chosen[*child]) waiting.emplace_back(*child, first ? depth : depth + 1);
      }
      first = false;
    }
  }

  const StackTree& tree_;
  By by_;
  double may_lose_;
};

}  // namespace

TreeRows ChooseRows(const StackTree& tree, By by, size_t limit, std::optional<double> join) {
  return Chooser(tree, by, join).Choose(limit);
}

}  // namespace heaptally::analysis
