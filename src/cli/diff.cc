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
#include "cli/input_options.h"
#include "cli/measure_option.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/render_changes.h"
#include "cli/text.h"

namespace heaptally::cli {
namespace {

struct DiffOptions {
  InputOptions input;
  std::string by;  // "": live bytes, or calls where bytes are not known
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
  app.add_option("what", options->input.what, "two captures, moments or pids")->expected(0, 2);
  app.add_option("--by", options->by, "live, peak, churn (bytes), calls or temporary (default live; calls in mode count)")
      ->type_name("WHAT");
  const CLI::Option* limit =
      app.add_option("--limit", options->limit, "rows to show, 0 for all (default 20; all with --json)")
          ->type_name("N");
  options->fail_if.AddOption(&app);
  app.add_flag("--json", options->json, "for scripts");
  app.add_flag("--bytes", options->plain, "plain integers instead of MiB and M");
  AddColorOption(&app);
  AddChoiceOptions(&app, &options->input);
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
  const std::vector<std::string>& what = options->input.what;
  if (what.size() == 2) return -1;
  return Complain(fmt::format("heaptally diff compares two, and {} named", what.empty() ? "none is" : "one is"),
                  what.empty() ? "heaptally diff BEFORE AFTER"
                               : fmt::format("heaptally diff {0}@first {0}@last, for two moments of a capture", what[0]));
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

// Nothing after a complaint.
std::optional<Input> LoadSide(InputOptions options, size_t side) {
  options.what = {options.what[side]};
  return LoadInput(options);
}

}  // namespace

int DiffCommand(const std::vector<std::string>& arguments) {
  DiffOptions options;
  if (const int status = ParseDiffOptions(arguments, &options); status >= 0) return status;
  const auto asked = MeasureOption(options.by.empty() ? "live" : options.by);
  if (!asked) return kOurFailure;
  auto before = LoadSide(options.input, 0), after = LoadSide(options.input, 1);
  if (!before || !after) return kOurFailure;
  analysis::By by = *asked;
  for (const Input* side : {&*before, &*after}) {
    if (options.by.empty() && !IsKnown(side->profiles, by)) by = analysis::By::kCalls;
    if (!options.by.empty() && !CheckKnown(side->profiles, by)) return kOurFailure;
  }
  const analysis::Changes changes = Compare(before->profiles, after->profiles, by, ReportTaste());
  const bool all = options.limit == 0 || (options.json && !options.limit_given);
  const ChangesView view = {.by = by,
                            .width = std::max<size_t>(TerminalWidth(STDOUT_FILENO), 60),
                            .limit = all ? SIZE_MAX : options.limit,
                            .style = {.plain = options.plain},
                            .before_title = Title(options.input.what[0], before->profiles),
                            .after_title = Title(options.input.what[1], after->profiles),
                            .narrowed = after->narrowed};
  std::fputs((options.json ? ChangesJson(changes, view) : RenderChanges(changes, view)).c_str(), stdout);
  return options.fail_if.CheckDifference(before->profiles, after->profiles);
}

}  // namespace heaptally::cli
