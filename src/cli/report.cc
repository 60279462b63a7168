// `heaptally report`: a capture, a segment, or a living process (which is read from outside and does not notice).
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/commands.h"
#include "cli/load_profiles.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/render_report.h"
#include "cli/report_json.h"
#include "cli/suggest.h"
#include "cli/text.h"
#include "collect/segments.h"

namespace heaptally::cli {
namespace {

using analysis::By;

struct ReportOptions {
  std::vector<std::string> what;
  std::string by;  // "": the usual view; of JSON, live
  std::string directory;
  bool json = false;
  bool full = false;
  bool plain = false;
  uint32_t limit = 20;
  bool limit_given = false;  // else JSON holds everything
};

struct Measure {
  const char* name;
  By by;
  RankBy json;
};

constexpr Measure kMeasures[] = {{"live", By::kLive, RankBy::kLive},
                                 {"peak", By::kPeak, RankBy::kPeak},
                                 {"churn", By::kChurn, RankBy::kChurnBytes},
                                 {"calls", By::kCalls, RankBy::kChurnCalls},
                                 {"temporary", By::kTemporary, RankBy::kTemporary}};

constexpr const char* kExamples =
    "  heaptally report server.4711.heaptally           who holds memory\n"
    "  heaptally report 4711 --by churn                 of a process: who allocates\n"
    "  heaptally report server.4711.heaptally --full    whole stacks, lifetimes\n"
    "  heaptally report server.4711.heaptally --json    for scripts\n";

const Measure* FindMeasure(const std::string& name) {
  for (const Measure& measure : kMeasures) {
    if (name == measure.name) return &measure;
  }
  const std::string meant = MeantMeasure(name);
  const std::string nearest = meant.empty() ? Nearest(name, {"live", "peak", "churn", "calls", "temporary"}) : meant;
  Complain("there is nothing to rank by called \"" + name + "\"",
           nearest.empty() ? "--by live, peak, churn, calls or temporary" : "--by " + nearest);
  return nullptr;
}

// Returns -1 to go on, else the exit status.
int ParseReportOptions(const std::vector<std::string>& arguments, ReportOptions* options) {
  CLI::App app("", "report");
  Describe(&app,
           "heaptally report [options] FILE|PID|SEGMENT...\n\n"
           "Shows which lines of code hold memory, or allocate most, in a capture or in\n"
           "a process that runs under heaptally. A running process is read from outside\n"
           "and does not notice.",
           kExamples);
  options->directory = collect::SegmentDirectory();
  app.add_option("what", options->what, "captures, segments or pids");
  app.add_option("--by", options->by,
                 "live, peak, churn (bytes), calls or temporary (default live, or peak where most was freed)")
      ->type_name("WHAT");
  const CLI::Option* limit =
      app.add_option("--limit", options->limit, "rows to show, 0 for all (default 20; all with --json)")
          ->type_name("N");
  app.add_flag("--full", options->full, "whole stacks with sizes and lifetimes; with --json: allocator frames too");
  app.add_flag("--json", options->json, "everything, for scripts");
  app.add_flag("--bytes", options->plain, "plain integers instead of MiB and M");
  app.add_option("--dir", options->directory, "where running processes keep their tallies")->type_name("DIR");
  switch (Parse(&app, arguments)) {
    case Parsed::kHelpShown:
      return 0;
    case Parsed::kWrong:
      return kOurFailure;
    case Parsed::kGo:
      break;
  }
  options->limit_given = limit->count() > 0;
  if (!options->what.empty()) return -1;
  return Complain("heaptally report: nothing is named to report on", "heaptally report FILE, or a pid of heaptally ls");
}

}  // namespace

int ReportCommand(const std::vector<std::string>& arguments) {
  ReportOptions options;
  if (const int status = ParseReportOptions(arguments, &options); status >= 0) return status;
  const Measure* measure = FindMeasure(options.by.empty() ? "live" : options.by);
  if (measure == nullptr) return kOurFailure;
  std::vector<profile::Profile> profiles;
  for (const std::string& what : options.what) {
    Loaded loaded = LoadProfiles(what, options.directory);
    if (!loaded.error.empty()) return Complain(loaded.error, loaded.what_works);
    for (const std::string& remark : loaded.remarks) Remark(remark);
    std::move(loaded.profiles.begin(), loaded.profiles.end(), std::back_inserter(profiles));
  }
  if (options.json) {
    const size_t limit = options.limit_given && options.limit != 0 ? options.limit : SIZE_MAX;
    std::fputs(ReportJson(profiles, {.limit = limit, .full = options.full, .by = measure->json}).c_str(), stdout);
    return 0;
  }
  const bool by_itself = options.by.empty();
  const ReportView view = {.by = by_itself ? analysis::UsualView(profiles) : measure->by,
                           .width = std::max<size_t>(TerminalWidth(STDOUT_FILENO), 60),
                           .limit = options.limit == 0 ? SIZE_MAX : options.limit,
                           .by_itself = by_itself,
                           .full = options.full,
                           .style = {.plain = options.plain}};
  std::fputs(RenderReport(profiles, view).c_str(), stdout);
  return 0;
}

}  // namespace heaptally::cli
