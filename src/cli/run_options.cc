#include "cli/run_options.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "cli/color.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/period_bounds.h"
#include "cli/suggest.h"
#include "cli/units.h"
#include "collect/segments.h"

namespace heaptally::cli {
namespace {

constexpr double kLeastEvery = 0.05;
const std::vector<std::string> kModes = {"bytes", "exact", "count", "per-class"};

// The mode and the period must make sense together. Returns -1 if they do.
int CheckMode(const RunOptions& options) {
  if (std::find(kModes.begin(), kModes.end(), options.mode) == kModes.end()) {
    const std::string nearest = Nearest(options.mode, {kModes.begin(), kModes.end()});
    return Complain("there is no mode \"" + options.mode + "\"",
                    nearest.empty() ? "--mode bytes, exact, count or per-class (heaptally help modes)"
                                    : "--mode " + nearest);
  }
  if (options.period == 0) return -1;
  const Refusal refusal = WhyNoPeriod(options.mode, options.period);
  return refusal.why.empty() ? -1 : Complain(refusal.why, refusal.what_works);
}

int CheckPaths(RunOptions* options) {
  std::error_code error;
  options->directory = std::filesystem::absolute(options->directory, error).lexically_normal().string();
  if (options->directory.find(',') != std::string::npos) {
    return Complain(
        "the directory " + options->directory + " has a comma in its name, which the agent's settings cannot hold",
        "another --dir");
  }
  if (options->output.empty()) return -1;
  if (options->output == "-") {
    return Complain("-o - is no place for the capture: it is a database, and standard output is the program's",
                    "-o FILE, then heaptally report FILE --json writes to standard output (./- is a file named -)");
  }
  options->output = std::filesystem::absolute(options->output, error).string();
  const std::string parent = std::filesystem::path(options->output).parent_path().string();
  // It is renamed into its place at the end: a device there would be replaced by a file.
  const auto there = std::filesystem::status(options->output, error).type();
  if (there != std::filesystem::file_type::not_found && there != std::filesystem::file_type::regular &&
      there != std::filesystem::file_type::directory) {
    return Complain("the capture " + options->output + " would take the place of something that is no file",
                    "-o with a file in a directory of yours");
  }
  if (access(parent.c_str(), W_OK | X_OK) != 0 || std::filesystem::is_directory(options->output, error)) {
    return Complain("the capture " + options->output + " could not be written at the end: " +
                        (std::filesystem::is_directory(options->output, error)
                             ? "it is a directory"
                             : parent + " is not a directory that can be written to"),
                    "-o with a file in a directory of yours");
  }
  return -1;
}

constexpr const char* kExamples =
    "  heaptally run -- ./server --port 80           sampled, at next to no cost\n"
    "  heaptally run --mode exact -- ./server        every allocation\n"
    "  heaptally run --every 1s -- ./server          then: report FILE --at 5s\n"
    "  heaptally run -o build.heaptally -- make -j8  and all that it starts\n";

}  // namespace

int ParseRunOptions(const std::vector<std::string>& arguments, RunOptions* options) {
  CLI::App app("", "run");
  Describe(&app,
           "heaptally run [options] [--] PROGRAM [ARGUMENTS]\n\n"
           "Runs the program, and says at its end which code holds the memory. Its input,\n"
           "output, signals and exit status are its own. Programs that it starts are\n"
           "profiled too.",
           kExamples);
  options->directory = collect::SegmentDirectory();
  app.add_option("-m,--mode", options->mode,
                 "bytes (sampled; the default), exact (every allocation), count (one call in N) or per-class (one call in N, "
                 "sizes alike); heaptally help modes")->type_name("MODE");
  AddBytesOption(&app, "-p,--period", &options->period,
                 "mean bytes between samples (default 512K, at least 64K); of count and per-class: mean calls (default "
                 "1000)");
  app.add_option("-o,--output", options->output, "the capture (default NAME.PID.heaptally here)")->type_name("FILE");
  std::string every;
  app.add_option("--every", every, "a snapshot every so often too (1s, 500ms, 5m), for report --at and diff")
      ->type_name("TIME");
  options->fail_if.AddOption(&app);
  AddColorOption(&app);
  bool no_follow = false;
  app.add_flag("--no-follow", no_follow, "profile only the program itself, not those that it starts");
  app.add_flag("--require", options->require,
               "refuse to start a program that cannot be profiled (exit status 125); of what that program starts it "
               "promises nothing");
  app.add_option("--dir", options->directory,
                 "where running processes keep their tallies (default " + options->directory + ")")
      ->type_name("DIR");
  AddBytesOption(&app, "--cap", &options->cap_bytes, "warn when what is left in that directory takes more than this");
  std::vector<std::string> ours = arguments;
  options->command = TakeCommand(app, &ours);
  switch (Parse(&app, ours)) {
    case Parsed::kHelpShown:
      return 0;
    case Parsed::kWrong:
      return kOurFailure;
    case Parsed::kGo:
      break;
  }
  options->follow = !no_follow;
  if (options->command.empty())
    return Complain("heaptally run: no program is named", "heaptally run -- PROGRAM ARGUMENTS");
  if (const int status = options->fail_if.Parse(ConditionOn::kReport); status >= 0) return status;
  if (!every.empty() && (!ParseDuration(every, &options->every_seconds) || options->every_seconds < kLeastEvery)) {
    return Complain("heaptally run: --every takes a time of 50ms or more, and \"" + every + "\" is none",
                    "--every 1s (500ms, 5m)");
  }
  if (const int status = CheckMode(*options); status >= 0) return status;
  return CheckPaths(options);
}

}  // namespace heaptally::cli
