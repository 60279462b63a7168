#include "cli/render_stack_tree.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/tree_rows.h"
#include "cli/frame_names.h"
#include "cli/render_places.h"
#include "cli/text.h"
#include "cli/text_table.h"

namespace heaptally::cli {
namespace {

using analysis::StackTree;
using analysis::TreeNode;
using analysis::TreeQuestion;

std::string PlaceOf(const TreeNode& node, const analysis::FrameTable& table) {
  analysis::StackFrame frame = table[node.frame];
  if (node.first_line == node.last_line) return ShownPlace(frame);
  frame.line = 0;
  const std::string place = ShownPlace(frame);
  return frame.file.empty() ? place : fmt::format("{}:{}-{}", place, node.first_line, node.last_line);
}

class Renderer {
 public:
  Renderer(const StackTree& tree, const TreeQuestion& question, const analysis::FrameTable& table, const TreeView& view)
      : tree_(tree), question_(question), table_(table), view_(view), bytes_(analysis::RanksBytes(question.by)) {
    sampled_ = tree.nodes[0].total.period > 0;
    top_down_ = question.direction == TreeQuestion::Direction::kTopDown;
  }

  std::string Render() {
    const analysis::TreeRows rows = ChooseRows(
        tree_, question_.by, view_.limit, question_.full ? std::nullopt : std::optional<double>(question_.least_share));
    uint32_t deepest = 0;
    for (const analysis::TreeRow& row : rows.rows) deepest = std::max(deepest, row.indent);
    const size_t step = deepest > view_.width / 12 ? 1 : 2;
    TextTable out(Columns());
    for (const analysis::TreeRow& row : rows.rows) AddRow(row, std::min(row.indent * step, view_.width / 3), &out);
    return out.Render(view_.width) + Footer(rows.more);
  }

 private:
  std::vector<Column> Columns() const {
    std::vector<Column> columns = {{.title = view_.by_words, .right = true}};
    if (sampled_) columns.push_back({.title = "95 %", .right = true});
    columns.push_back({.title = "share", .right = true});
    if (top_down_) columns.push_back({.title = "self", .right = true});
    columns.push_back(
        {.title = top_down_ ? "function > what it calls" : "function < what calls it", .cut = Cut::kChain});
    columns.push_back({.cut = Cut::kBeginning, .at_most = view_.width / 4});
    return columns;
  }

  std::string Number(const profile::Measures& measures) const {
    const double value = analysis::RankedAmount(measures, question_.by).value();
    return bytes_ ? FormatBytes(value, view_.style) : FormatCount(value, view_.style);
  }

  void AddRow(const analysis::TreeRow& row, size_t indent, TextTable* out) const {
    const TreeNode& last = tree_.nodes[row.chain.back()];
    const char* link = top_down_ ? "> " : "< ";
    std::string names = std::string(indent, ' ') + (row.indent > 0 ? link : "");
    for (size_t at = 0; at < row.chain.size(); ++at)
      names += (at > 0 ? std::string(" ") + link : "") + ShownName(table_[tree_.nodes[row.chain[at]].frame]);
    const TreeNode& first = tree_.nodes[row.chain.front()];
    const sampling::Estimate total = Ranked(first.total, question_.by);
    std::vector<std::string> cells = {Number(first.total)};
    if (sampled_) cells.push_back(IntervalCell(total, bytes_, view_.style));
    cells.push_back(FormatShare(total.v, view_.whole));
    if (top_down_)
      cells.push_back(analysis::RankedAmount(last.self, question_.by).value() > 0 ? Number(last.self) : "");
    cells.push_back(std::move(names));
    cells.push_back(PlaceOf(top_down_ ? last : first, table_));
    out->Add(std::move(cells), {ToneOfShare(total.v, view_.whole)});
  }

  std::string Footer(size_t more) const {
    std::vector<std::string> parts;
    if (more > 0) parts.push_back(fmt::format("{} smaller row{} (--limit 0 shows all)", more, more == 1 ? "" : "s"));
    const bool left_out =
        std::any_of(tree_.nodes.begin(), tree_.nodes.end(), [](const TreeNode& node) { return node.left_out > 0; });
    if (left_out)
      parts.push_back(fmt::format("what is below {:.3g} % (--min-share)", question_.least_share * 100));
    if (parts.empty()) return "";
    return Wrap(fmt::format("  not shown: {}", fmt::join(parts, "; ")), view_.width, 4) + "\n";
  }

  const StackTree& tree_;
  const TreeQuestion& question_;
  const analysis::FrameTable& table_;
  const TreeView& view_;
  bool bytes_, sampled_ = false, top_down_ = true;
};

}  // namespace

std::string RenderStackTree(const StackTree& tree, const TreeQuestion& question, const analysis::FrameTable& table,
                            const TreeView& view) {
  if (tree.nodes[0].children.empty()) return "";
  return Renderer(tree, question, table, view).Render();
}

}  // namespace heaptally::cli
