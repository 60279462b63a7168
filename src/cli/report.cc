// `heaptally report`: a capture, a segment, or a living process (which is read from outside and does not notice).
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/commands.h"
#include "cli/fail_if.h"
#include "cli/input_options.h"
#include "cli/measure_option.h"
#include "cli/message.h"
#include "cli/moment_choice.h"
#include "cli/options.h"
#include "cli/render_report.h"
#include "cli/report_json.h"
#include "cli/text.h"
#include "profile/merge_threads.h"

namespace heaptally::cli {
namespace {

struct ReportOptions {
  InputOptions input;
  std::string by;  // "": the usual view; of JSON, live
  bool json = false;
  bool full = false;
  bool plain = false;
  bool moments = false;
  FailIf fail_if;
  uint32_t limit = 20;
  bool limit_given = false;  // else JSON holds everything
};

constexpr const char* kExamples =
    "  heaptally report server.4711.heaptally           who holds memory\n"
    "  heaptally report 4711 --by churn                 of a process: who allocates\n"
    "  heaptally report server.4711.heaptally --full    whole stacks, lifetimes\n"
    "  heaptally report server.4711.heaptally --at 2s   at a moment of run --every\n"
    "  heaptally report server.4711.heaptally --json    for scripts\n";

// Returns -1 to go on, else the exit status.
int ParseReportOptions(const std::vector<std::string>& arguments, ReportOptions* options) {
  CLI::App app("", "report");
  Describe(&app,
           "heaptally report [options] FILE|PID|SEGMENT...\n\n"
           "Shows which lines of code hold memory, or allocate most, in a capture or in\n"
           "a process that runs under heaptally. A running process is read from outside\n"
           "and does not notice.",
           kExamples);
  app.add_option("--by", options->by,
                 "live, peak, churn (bytes), calls or temporary (default live, or peak where most was freed)")
      ->type_name("WHAT");
  const CLI::Option* limit =
      app.add_option("--limit", options->limit, "rows to show, 0 for all (default 20; all with --json)")
          ->type_name("N");
  app.add_flag("--full", options->full, "whole stacks with sizes and lifetimes; with --json: allocator frames too");
  app.add_flag("--json", options->json, "everything, for scripts");
  app.add_flag("--moments", options->moments, "the moments that a capture holds");
  app.add_flag("--bytes", options->plain, "plain integers instead of MiB and M");
  options->fail_if.AddOption(&app);
  AddInputOptions(&app, Inputs::kMany, &options->input);
  const int status = ParseWithInput(&app, arguments, options->input, "report on");
  options->limit_given = limit->count() > 0;
  return status >= 0 ? status : options->fail_if.Parse(ConditionOn::kReport);
}

int ListMoments(const ReportOptions& options) {
  for (const std::string& what : options.input.what) {
    std::string error;
    const auto moments = store::ReadMoments(what, &error);
    if (!moments) return Complain(error, "heaptally report FILE --moments, with a capture");
    const size_t width = std::max<size_t>(TerminalWidth(STDOUT_FILENO), 60);
    std::fputs(RenderMoments(*moments, width, {.plain = options.plain}).c_str(), stdout);
  }
  return 0;
}

// All sites are there, so the order is that of one number for all programs: live bytes, where they are known.
analysis::By JsonView(const std::vector<profile::Profile>& profiles) {
  return IsKnown(profiles, analysis::By::kLive) ? analysis::By::kLive : analysis::By::kCalls;
}

}  // namespace

int ReportCommand(const std::vector<std::string>& arguments) {
  ReportOptions options;
  if (const int status = ParseReportOptions(arguments, &options); status >= 0) return status;
  const auto by = MeasureOption(options.by.empty() ? "live" : options.by);
  if (!by) return kOurFailure;
  if (options.moments) return ListMoments(options);
  auto input = LoadInput(options.input);
  if (!input) return kOurFailure;
  if (!options.by.empty() && !CheckKnown(input->profiles, *by)) return kOurFailure;
  if (options.json) {
    const size_t limit = options.limit_given && options.limit != 0 ? options.limit : SIZE_MAX;
    std::fputs(ReportJson(input->profiles, {.limit = limit, .full = options.full, .by = options.by.empty() ? JsonView(input->profiles) : *by}).c_str(), stdout);
    return options.fail_if.Check(input->profiles);
  }
  for (profile::Profile& profile : input->profiles) profile::MergeThreads(&profile);
  const bool by_itself = options.by.empty();
  const analysis::By shown = by_itself ? analysis::UsualView(input->profiles) : *by;
  const ReportView view = {.by = shown,
                           .width = std::max<size_t>(TerminalWidth(STDOUT_FILENO), 60),
                           .limit = options.limit == 0 ? SIZE_MAX : options.limit,
                           .by_itself = by_itself,
                           .full = options.full,
                           .narrowed = NarrowedWords(*input, shown),
                           .style = {.plain = options.plain}};
  std::fputs(RenderReport(input->profiles, view).c_str(), stdout);
  return options.fail_if.Check(input->profiles);
}

}  // namespace heaptally::cli
