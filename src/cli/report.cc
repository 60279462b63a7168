// `heaptally report`: a capture, a segment, or a living process (which is read from outside and does not notice).
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/commands.h"
#include "cli/fail_if.h"
#include "cli/frame_names.h"
#include "cli/input_options.h"
#include "cli/json_sites.h"
#include "cli/measure_option.h"
#include "cli/message.h"
#include "cli/moment_choice.h"
#include "cli/render_groups.h"
#include "cli/render_report.h"
#include "cli/render_suppressed.h"
#include "cli/report_json.h"
#include "cli/report_options.h"
#include "cli/report_site.h"
#include "cli/report_tree.h"
#include "cli/text.h"
#include "cli/views_json.h"
#include "profile/merge_threads.h"

namespace heaptally::cli {
namespace {

// All sites are there, so the order is that of one number for all programs: live bytes, where they are known.
analysis::By JsonView(const std::vector<profile::Profile>& profiles) {
  return IsKnown(profiles, analysis::By::kLive) ? analysis::By::kLive : analysis::By::kCalls;
}

// Of JSON: what was left out.
std::string HeadMembers(const Input& input, const ReportOptions& options) {
  std::string out;
  const analysis::FilterWords& stacks = options.input.stacks;
  if (stacks.any()) {
    for (const auto& [name, text] : {std::pair("focus", &stacks.focus), std::pair("ignore", &stacks.ignore),
                                     std::pair("hide", &stacks.hide)}) {
      out += (out.empty() ? "\"filter\":{\"" : ",\"") + std::string(name) + "\":";
      text->empty() ? void(out += "null") : AppendText(*text, &out);
    }
    out += ",\"before\":{";
    AppendMeasures(input.before, &out);
    out += "}},\n";
  }
  return out + SuppressedJson(input.suppressed);
}

// What stands where the list of places does; nothing after a complaint.
std::optional<std::string> OtherBody(const Input& input, const ReportOptions& options, const ReportView& view) {
  if (!options.site.empty()) return ReportSite(input.profiles, options.site, view);
  if (options.asks_for_tree()) return ReportTree(input.profiles, options, view);
  const analysis::GroupBy group = GroupNamed(options.group);
  std::vector<const profile::Profile*> all;
  profile::Measures sum;
  for (const profile::Profile& profile : input.profiles) {
    all.push_back(&profile);
    sum += profile.totals;
  }
  const auto groups = RankGroups(all, group, view.by, ReportTaste(), options.full);
  return RenderGroups(groups, group, analysis::RankedAmount(sum, view.by).value(), view);
}

// A view stands beside profiles without their sites.
int PrintJson(const Input& input, const ReportOptions& options, analysis::By asked) {
  const bool view = options.asks_for_view();
  const analysis::By by = !options.by.empty() ? asked : view ? analysis::UsualView(input.profiles) : JsonView(input.profiles);
  const auto members = ViewMembers(input.profiles, options, by);
  if (!members) return kOurFailure;
  const size_t limit = view ? 0 : options.limit_given && options.limit != 0 ? options.limit : SIZE_MAX;
  WriteReportJson(input.profiles,
                  {.limit = limit, .full = options.full, .by = by, .members = HeadMembers(input, options) + *members},
                  [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); });
  return options.fail_if.Check(input.profiles);
}

}  // namespace

int ReportCommand(const std::vector<std::string>& arguments) {
  ReportOptions options;
  if (const int status = ParseReportOptions(arguments, &options); status >= 0) return status;
  const auto by = MeasureOption(options.by.empty() ? "live" : options.by);
  if (!by) return kOurFailure;
  if (options.moments)
    return ListMoments(options.input.what, "heaptally report FILE --moments, with a capture", {.plain = options.plain});
  auto input = LoadInput(options.input);
  if (!input) return kOurFailure;
  if (!options.by.empty() && !CheckKnown(input->profiles, *by)) return kOurFailure;
  const bool by_thread = options.group == "thread" || !options.site.empty();
  const bool all_stacks = options.json && !options.asks_for_view();
  for (profile::Profile& profile : input->profiles) {
    if (!by_thread && !all_stacks) profile::MergeThreads(&profile);
  }
  if (options.json) return PrintJson(*input, options, *by);
  const bool by_itself = options.by.empty();
  const analysis::By shown = by_itself ? analysis::UsualView(input->profiles) : *by;
  ReportView view = {.by = shown,
                     .width = std::max<size_t>(TerminalWidth(STDOUT_FILENO), 60),
                     .limit = options.limit == 0 ? SIZE_MAX : options.limit,
                     .by_itself = by_itself,
                     .narrowed = NarrowedWords(*input, shown),
                     .style = {.plain = options.plain}};
  view.full = options.full || options.group == "stack";
  if (options.asks_for_view()) {
    view.body = OtherBody(*input, options, view);
    if (!view.body) return kOurFailure;
  }
  view.suppressed = RenderSuppressed(input->suppressed, view);
  std::fputs(RenderReport(input->profiles, view).c_str(), stdout);
  return options.fail_if.Check(input->profiles);
}

}  // namespace heaptally::cli
