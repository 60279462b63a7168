#include "cli/render_groups.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/frame_names.h"
#include "cli/render_places.h"
#include "cli/text.h"
#include "cli/text_table.h"

namespace heaptally::cli {
namespace {

using analysis::Group;
using analysis::GroupBy;

std::string NameOfGroup(const Group& group, GroupBy by) {
  if (by == GroupBy::kFunction) return ShownName(group.frame);
  if (group.name.empty()) return by == GroupBy::kModule ? "[no module]" : "[thread not known]";
  return Printable(group.name);
}

std::string PlaceOfGroup(const Group& group, GroupBy by) {
  if (by != GroupBy::kFunction) return "";
  analysis::StackFrame frame = group.frame;
  frame.line = 0;  // it has many
  return ShownPlace(frame);
}

std::vector<Column> Columns(GroupBy group, bool sampled, const ReportView& view) {
  std::vector<Column> columns = {{.right = true},
                                 {.title = fmt::format("{}, by {}", ByWords(view.by), GroupName(group)),
                                  .cut = group == GroupBy::kFunction ? Cut::kFunction : Cut::kBeginning}};
  if (group == GroupBy::kFunction) columns.push_back({.cut = Cut::kBeginning, .at_most = view.width / 4});
  columns.push_back({.title = group == GroupBy::kThread ? "" : "self", .right = true});
  if (sampled) columns.push_back({.title = "95 %", .right = true});
  columns.push_back({.title = "share", .right = true});
  if (group != GroupBy::kThread) columns.push_back({.title = "total", .right = true});
  columns.push_back({.title = "stacks", .right = true});
  return columns;
}

}  // namespace

const char* GroupName(GroupBy group) {
  return group == GroupBy::kFunction ? "function" : group == GroupBy::kModule ? "module" : "thread";
}

GroupBy GroupNamed(const std::string& name) {
  return name == "function" ? GroupBy::kFunction : name == "module" ? GroupBy::kModule : GroupBy::kThread;
}

std::string RenderGroups(const std::vector<Group>& groups, GroupBy group, double whole, const ReportView& view) {
  if (groups.empty()) return "";
  const bool bytes = analysis::RanksBytes(view.by);
  const bool sampled = std::any_of(groups.begin(), groups.end(), [](const Group& one) { return one.total.period > 0; });
  const auto number = [&](const profile::Measures& measures) {
    const double value = analysis::RankedAmount(measures, view.by).value();
    return bytes ? FormatBytes(value, view.style) : FormatCount(value, view.style);
  };
  TextTable table(Columns(group, sampled, view));
  const size_t shown = std::min(groups.size(), view.limit);
  for (size_t at = 0; at < shown; ++at) {
    const Group& one = groups[at];
    std::vector<std::string> cells = {std::to_string(at + 1), NameOfGroup(one, group)};
    if (group == GroupBy::kFunction) cells.push_back(PlaceOfGroup(one, group));
    const sampling::Estimate self = Ranked(one.self, view.by);
    cells.push_back(self.v > 0 ? number(one.self) : "");
    if (sampled) cells.push_back(self.v > 0 ? IntervalCell(self, bytes, view.style) : "");
    cells.push_back(self.v > 0 ? FormatShare(self.v, whole) : "");
    if (group != GroupBy::kThread) cells.push_back(number(one.total));
    cells.push_back(one.stacks > 0 ? FormatCount(static_cast<double>(one.stacks), view.style) : "");
    table.Add(std::move(cells), {ToneOfShare(self.v, whole)});
  }
  std::string out = table.Render(view.width);
  if (shown == groups.size()) return out;
  profile::Measures rest;
  for (size_t at = shown; at < groups.size(); ++at) rest += groups[at].self;
  return out + Wrap(fmt::format("     {} more {}s, self {} (--limit 0 shows all)", groups.size() - shown,
                                GroupName(group), number(rest)),
                    view.width, 5) +
         "\n";
}

}  // namespace heaptally::cli
