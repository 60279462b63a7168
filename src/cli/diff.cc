// `heaptally diff`: what changed between two captures, two processes, or two moments of a capture.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "analysis/changes.h"
#include "cli/color.h"
#include "cli/commands.h"
#include "cli/fail_if.h"
#include "cli/frame_names.h"
#include "cli/load_profiles.h"
#include "cli/measure_option.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/render_changes.h"
#include "cli/text.h"
#include "collect/segments.h"

namespace heaptally::cli {
namespace {

struct DiffOptions {
  std::vector<std::string> what;
  std::string by = "live";
  std::string directory;
  bool json = false;
  bool plain = false;
  uint32_t limit = 20;
  bool limit_given = false;
  FailIf fail_if;
};

constexpr const char* kExamples =
    "  heaptally diff old.heaptally new.heaptally          two runs, or two builds\n"
    "  heaptally diff run.heaptally@2s run.heaptally@last  two moments of run --every\n"
    "  heaptally diff before.heaptally 4711                a process, since then\n"
    "  heaptally diff a.heaptally b.heaptally --fail-if 'live > 5 %'\n";

int ParseDiffOptions(const std::vector<std::string>& arguments, DiffOptions* options) {
  CLI::App app("", "diff");
  Describe(&app,
           "heaptally diff [options] BEFORE AFTER\n\n"
           "Shows which lines of code hold more or less than before. Each side is a\n"
           "capture, a moment of one (FILE@12.5s, FILE@3, FILE@first, FILE@last) or a pid.\n"
           "Lines are matched by function and file, so that two builds compare. A change\n"
           "that its interval does not tell from nothing is called noise.",
           kExamples);
  options->directory = collect::SegmentDirectory();
  app.add_option("what", options->what, "two captures, moments or pids")->expected(0, 2);
  app.add_option("--by", options->by, "live, peak, churn (bytes), calls or temporary (default live)")
      ->type_name("WHAT");
  const CLI::Option* limit =
      app.add_option("--limit", options->limit, "rows to show, 0 for all (default 20; all with --json)")
          ->type_name("N");
  options->fail_if.AddOption(&app);
  app.add_flag("--json", options->json, "for scripts");
  app.add_flag("--bytes", options->plain, "plain integers instead of MiB and M");
  AddColorOption(&app);
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
  if (const int status = options->fail_if.Parse(ConditionOn::kDifference); status >= 0) return status;
  if (options->what.size() == 2) return -1;
  return Complain(fmt::format("heaptally diff compares two, and {} named", options->what.empty() ? "none is" : "one is"),
                  options->what.empty() ? "heaptally diff BEFORE AFTER"
                                        : fmt::format("heaptally diff {0}@first {0}@last, for two moments of a capture",
                                                      options->what[0]));
}

// "server.heaptally@2s: /usr/bin/server (pid 4711), 2.03 s".
std::string Title(const std::string& what, const std::vector<profile::Profile>& profiles) {
  if (profiles.size() != 1) return fmt::format("{}: {} processes", what, profiles.size());
  const profile::Profile& profile = profiles[0];
  const double seconds = profile.taken_unix_ns > profile.started_unix_ns
                             ? static_cast<double>(profile.taken_unix_ns - profile.started_unix_ns) / 1e9
                             : 0;
  return fmt::format("{}: {} (pid {}), after {}, {}", what, profile.exe, profile.pid, FormatDuration(seconds),
                     profile.mode == "exact" ? "exact" : profile.mode == "bytes" ? "sampled" : profile.mode);
}

}  // namespace

int DiffCommand(const std::vector<std::string>& arguments) {
  DiffOptions options;
  if (const int status = ParseDiffOptions(arguments, &options); status >= 0) return status;
  const auto by = MeasureOption(options.by);
  if (!by) return kOurFailure;
  std::vector<profile::Profile> sides[2];
  for (int side = 0; side < 2; ++side) {
    Loaded loaded = LoadProfiles(options.what[static_cast<size_t>(side)], options.directory);
    if (!loaded.error.empty()) return Complain(loaded.error, loaded.what_works);
    for (const std::string& remark : loaded.remarks) Remark(remark);
    sides[side] = std::move(loaded.profiles);
  }
  const analysis::Changes changes = Compare(sides[0], sides[1], *by, ReportTaste());
  const bool all = options.limit == 0 || (options.json && !options.limit_given);
  const ChangesView view = {.by = *by,
                            .width = std::max<size_t>(TerminalWidth(STDOUT_FILENO), 60),
                            .limit = all ? SIZE_MAX : options.limit,
                            .style = {.plain = options.plain},
                            .before_title = Title(options.what[0], sides[0]),
                            .after_title = Title(options.what[1], sides[1])};
  std::fputs((options.json ? ChangesJson(changes, view) : RenderChanges(changes, view)).c_str(), stdout);
  return options.fail_if.CheckDifference(sides[0], sides[1]);
}

}  // namespace heaptally::cli
