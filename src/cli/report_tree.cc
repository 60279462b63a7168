#include "cli/report_tree.h"

#include <fmt/format.h>

#include "analysis/stack_tree.h"
#include "cli/find_functions.h"
#include "cli/frame_names.h"
#include "cli/message.h"
#include "cli/render_stack_tree.h"
#include "cli/text.h"

namespace heaptally::cli {
namespace {

using analysis::TreeQuestion;

// False after a complaint. `head` says which functions they are.
bool Through(const analysis::FrameTable& table, const ReportOptions& options, TreeQuestion* question,
             std::string* head) {
  const bool callers = !options.callers.empty();
  const std::string& name = callers ? options.callers : options.callees;
  if (name.empty()) return true;
  FoundFunctions found = FindFunctions(table, name);
  if (found.names.empty()) {
    Complain("no stack goes through a function called \"" + name + "\"",
             found.nearest.empty() ? "a name as the report shows it; --focus takes a part of one"
                                   : (callers ? "--callers '" : "--callees '") + found.nearest + "'");
    return false;
  }
  question->through = std::move(found.functions);
  constexpr size_t kMost = 5;
  const size_t more = found.names.size() > kMost ? found.names.size() - kMost : 0;
  if (more > 0) found.names.resize(kMost);
  *head = fmt::format("{} {}{}", callers ? "what calls" : "what is called by", fmt::join(found.names, ", "),
                      more > 0 ? fmt::format(" and {} more of that name", more) : "");
  return true;
}

// "what calls cache::insert: 62 % of live".
std::string Head(const std::string& which, const analysis::StackTree& tree, double whole, const ReportView& view) {
  if (which.empty()) return "";
  const double part = Ranked(tree.nodes[0].total, view.by).v;
  return Wrap(fmt::format("  {}: {} of {}", which, whole > 0 ? FormatShare(part, whole) : "nothing", ByWords(view.by)),
              view.width, 4) +
         "\n\n";
}

}  // namespace

std::optional<std::string> ReportTree(const std::vector<profile::Profile>& profiles, const ReportOptions& options,
                                      const ReportView& view) {
  std::vector<const profile::Profile*> all;
  profile::Measures sum;
  for (const profile::Profile& profile : profiles) {
    all.push_back(&profile);
    sum += profile.totals;
  }
  analysis::FrameTable table(all, ReportTaste());
  TreeQuestion question = {.by = view.by, .full = options.full, .least_share = options.min_share / 100};
  if (options.tree == "bottom-up" || !options.callers.empty())
    question.direction = TreeQuestion::Direction::kBottomUp;
  std::string which;
  if (!Through(table, options, &question, &which)) return std::nullopt;
  const analysis::StackTree tree = BuildStackTree(all, question, &table);
  const double whole = analysis::RankedAmount(sum, view.by).value();
  const std::string rows = RenderStackTree(
      tree, question, table,
      {.width = view.width, .limit = view.limit, .style = view.style, .by_words = ByWords(view.by), .whole = whole});
  return rows.empty() ? rows : Head(which, tree, whole, view) + rows;
}

}  // namespace heaptally::cli
