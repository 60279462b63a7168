#include "analysis/stack_tree.h"

#include <algorithm>
#include <numeric>

#include "analysis/stack_paths.h"

namespace heaptally::analysis {
namespace {

// Sorted by their functions, the paths of a node are neighbours, those that end at it first; a node is a range of them.
// Values of ranges come from running sums, so that what is left out costs nothing.
class TreeBuilder {
 public:
  TreeBuilder(const TreeQuestion& question, const FrameTable& table, StackPaths paths)
      : question_(question), table_(table), paths_(std::move(paths)) {}

  StackTree Build() {
    Sort();
    tree_.nodes.emplace_back();
    waiting_.push_back({0, 0, static_cast<uint32_t>(paths_.paths.size()), 0});
    while (!waiting_.empty()) {
      const Part part = waiting_.back();
      waiting_.pop_back();
      Expand(part);
    }
    SumUp();
    return std::move(tree_);
  }

 private:
  struct Part {
    uint32_t node, begin, end, depth;
  };

  void Sort() {
    const auto function = [&](uint32_t a, uint32_t b) { return table_.FunctionOf(a) < table_.FunctionOf(b); };
    std::sort(paths_.paths.begin(), paths_.paths.end(), [&](const StackPath& a, const StackPath& b) {
      const auto left = paths_.Of(a), right = paths_.Of(b);
      return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end(), function);
    });
    running_.push_back(0);
    for (const StackPath& path : paths_.paths)
      running_.push_back(running_.back() + RankedAmount(*path.measures, question_.by).value());
  }

  uint32_t FrameAt(uint32_t path, uint32_t depth) const { return paths_.Of(paths_.paths[path])[depth]; }

  void Expand(const Part& part) {
    uint32_t at = part.begin;
    for (; at < part.end && paths_.paths[at].length == part.depth; ++at)
      tree_.nodes[part.node].self += *paths_.paths[at].measures;
    tree_.nodes[part.node].total = tree_.nodes[part.node].self;
    while (at < part.end) {
      const uint32_t function = table_.FunctionOf(FrameAt(at, part.depth));
      const uint32_t begin = at;
      while (at < part.end && table_.FunctionOf(FrameAt(at, part.depth)) == function) ++at;
      if (running_[at] - running_[begin] >= question_.least_share * running_.back()) {
        AddChild(part, begin, at);
      } else {
        ++tree_.nodes[part.node].left_out;
        for (uint32_t path = begin; path < at; ++path)
          tree_.nodes[part.node].total += *paths_.paths[path].measures;
      }
    }
  }

  void AddChild(const Part& parent, uint32_t begin, uint32_t end) {
    const auto node = static_cast<uint32_t>(tree_.nodes.size());
    TreeNode child = {.parent = parent.node, .frame = FrameAt(begin, parent.depth)};
    for (uint32_t path = begin; path < end; ++path) {
      const uint32_t line = table_[FrameAt(path, parent.depth)].line;
      if (line == 0) continue;
      child.first_line = child.first_line == 0 ? line : std::min(child.first_line, line);
      child.last_line = std::max(child.last_line, line);
    }
    tree_.nodes.push_back(std::move(child));
    tree_.nodes[parent.node].children.push_back(node);
    waiting_.push_back({node, begin, end, parent.depth + 1});
  }

  void SumUp() {
    std::vector<TreeNode>& nodes = tree_.nodes;
    for (size_t node = nodes.size(); --node > 0;) nodes[nodes[node].parent].total += nodes[node].total;
    std::vector<sampling::Estimate> ranks;
    for (const TreeNode& node : nodes) ranks.push_back(Ranked(node.total, question_.by));
    for (TreeNode& node : nodes) {
      std::stable_sort(node.children.begin(), node.children.end(),
                       [&](uint32_t a, uint32_t b) { return RanksBefore(ranks[a], ranks[b]); });
    }
  }

  const TreeQuestion& question_;
  const FrameTable& table_;
  StackPaths paths_;
  std::vector<double> running_;
  std::vector<Part> waiting_;
  StackTree tree_;
};

}  // namespace

StackTree BuildStackTree(const std::vector<const profile::Profile*>& profiles, const TreeQuestion& question,
                         FrameTable* table) {
  StackPaths paths = PathsOf(profiles, question, table);
  return TreeBuilder(question, *table, std::move(paths)).Build();
}

}  // namespace heaptally::analysis
