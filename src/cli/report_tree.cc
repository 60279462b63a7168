#include "cli/report_tree.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/stack_tree.h"
#include "cli/find_functions.h"
#include "cli/frame_names.h"
#include "cli/message.h"
#include "cli/render_stack_tree.h"
#include "cli/text.h"

namespace heaptally::cli {
namespace {

using analysis::TreeQuestion;

// False after a complaint.
bool Through(const analysis::FrameTable& table, const ReportOptions& options, TreeQuestion* question,
             std::vector<std::string>* names) {
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
  *names = std::move(found.names);
  return true;
}

// "what calls cache::insert, table::insert"; "" of a tree of all stacks.
std::string Which(const AskedTree& asked) {
  if (asked.through.empty()) return "";
  constexpr size_t kMost = 5;
  const size_t shown = std::min(asked.through.size(), kMost);
  const bool callers = asked.question.direction == TreeQuestion::Direction::kBottomUp;
  return fmt::format("{} {}{}", callers ? "what calls" : "what is called by",
                     fmt::join(asked.through.begin(), asked.through.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                     asked.through.size() > shown ? fmt::format(" and {} more of that name", asked.through.size() - shown)
                                                  : "");
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

std::optional<AskedTree> AskTree(const std::vector<profile::Profile>& profiles, const ReportOptions& options,
                                 analysis::By by, double least_share) {
  std::vector<const profile::Profile*> all;
  profile::Measures sum;
  for (const profile::Profile& profile : profiles) {
    all.push_back(&profile);
    sum += profile.totals;
  }
  AskedTree asked = {.table = analysis::FrameTable(all, ReportTaste()),
                     .question = {.by = by, .full = options.full, .least_share = least_share},
                     .whole = analysis::RankedAmount(sum, by).value()};
  if (options.tree == "bottom-up" || !options.callers.empty())
    asked.question.direction = TreeQuestion::Direction::kBottomUp;
  if (!Through(asked.table, options, &asked.question, &asked.through)) return std::nullopt;
  asked.tree = BuildStackTree(all, asked.question, &asked.table);
  return asked;
}

std::optional<std::string> ReportTree(const std::vector<profile::Profile>& profiles, const ReportOptions& options,
                                      const ReportView& view) {
  const auto asked = AskTree(profiles, options, view.by, options.min_share / 100);
  if (!asked) return std::nullopt;
  const std::string rows = RenderStackTree(asked->tree, asked->question, asked->table,
                                           {.width = view.width,
                                            .limit = view.limit,
                                            .style = view.style,
                                            .by_words = ByWords(view.by),
                                            .whole = asked->whole});
  return rows.empty() ? rows : Head(Which(*asked), asked->tree, asked->whole, view) + rows;
}

}  // namespace heaptally::cli
