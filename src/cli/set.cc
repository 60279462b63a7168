// `heaptally set`: changes the period of a running process, or pauses and resumes its recording. The process is told by a
// few bytes in its tally, at which it looks when it takes its slow path anyway: no signal, no stop.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/commands.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/period_bounds.h"
#include "cli/set_targets.h"
#include "cli/units.h"
#include "collect/segments.h"
#include "segment/control.h"

namespace heaptally::cli {
namespace {

using segment::Mode;
using segment::Order;

constexpr const char* kExamples =
    "  heaptally set 4711 --period 64K     sample more often\n"
    "  heaptally set server --pause        every process called server\n"
    "  heaptally set server --resume\n";

struct SetOptions {
  std::string what;
  std::string directory;
  uint64_t period = 0;
  bool period_given = false;
  bool pause = false;
  bool resume = false;
};

// Returns -1 to go on, else the exit status.
int ParseSetOptions(const std::vector<std::string>& arguments, SetOptions* options) {
  CLI::App app("", "set");
  Describe(&app,
           "heaptally set PID|NAME [--period SIZE] [--pause|--resume]\n\n"
           "Changes how a running process is recorded, without stopping it. NAME is every\n"
           "running process of that name. When it takes effect: heaptally help set",
           kExamples);
  options->directory = collect::SegmentDirectory();
  app.add_option("what", options->what, "a pid, or the name of a program");
  const CLI::Option* period =
      AddBytesOption(&app, "-p,--period", &options->period,
                     "mean bytes between samples; of modes count and per-class: mean calls");
  app.add_flag("--pause", options->pause, "record no new allocations; releases of recorded blocks still count");
  app.add_flag("--resume", options->resume, "record again");
  app.add_option("--dir", options->directory, "where running processes keep their tallies")->type_name("DIR");
  switch (Parse(&app, arguments)) {
    case Parsed::kHelpShown:
      return 0;
    case Parsed::kWrong:
      return kOurFailure;
    case Parsed::kGo:
      break;
  }
  options->period_given = period->count() > 0;
  if (options->what.empty()) return Complain("heaptally set: no process is named", "heaptally set PID --period 64K");
  if (options->pause && options->resume) return Complain("--pause and --resume exclude each other", "one of them");
  if (options->period_given || options->pause || options->resume) return -1;
  return Complain("heaptally set: nothing to change is named", "--period SIZE, --pause or --resume");
}

const char* NameOf(Mode mode) {
  switch (mode) {
    case Mode::kExact:
      return "exact";
    case Mode::kCount:
      return "count";
    case Mode::kPerClass:
      return "per-class";
    default:
      return "bytes";
  }
}

std::string PeriodWords(Mode mode, uint64_t period) {
  return mode == Mode::kBytes ? FormatBytes(static_cast<double>(period)) : fmt::format("{} calls", period);
}

std::string DoneWords(const SetOptions& options, const segment::ImageHeader& before) {
  std::string done;
  if (options.period_given) {
    done = fmt::format("period {} (was {})", PeriodWords(before.mode, options.period),
                       PeriodWords(before.mode, before.period_bytes));
  }
  const bool was_paused = segment::IsPaused(before.control);
  if (options.pause) done += std::string(done.empty() ? "" : ", ") + (was_paused ? "paused already" : "paused");
  if (options.resume) done += std::string(done.empty() ? "" : ", ") + (was_paused ? "resumed" : "was not paused");
  return done;
}

// Returns the exit status.
int SetOne(const SetOptions& options, const SetTarget& target) {
  std::string error;
  const auto segment = segment::Segment::Open(target.segment, &error);
  const auto header = segment ? segment->ReadImageHeader(target.index, &error) : std::nullopt;
  if (!header) return Complain(error);
  if (options.period_given) {
    const Refusal refusal = WhyNoPeriod(NameOf(header->mode), options.period);
    if (!refusal.why.empty()) {
      return Complain(fmt::format("{} (pid {}) is recorded in mode {}: {}", target.program, target.pid,
                                  NameOf(header->mode), refusal.why),
                      header->mode == Mode::kExact ? "--pause and --resume" : refusal.what_works);
    }
  }
  Order order = {.period = options.period};
  if (options.pause) order.recording = Order::Recording::kPause;
  if (options.resume) order.recording = Order::Recording::kResume;
  if (!segment::WriteOrder(*segment, target.index, *header, order, &error)) {
    return Complain(error, "as the owner of that file, or as root");
  }
  std::fputs(fmt::format("{} (pid {}): {}\n", target.program, target.pid, DoneWords(options, *header)).c_str(), stdout);
  return 0;
}

}  // namespace

int SetCommand(const std::vector<std::string>& arguments) {
  SetOptions options;
  if (const int status = ParseSetOptions(arguments, &options); status >= 0) return status;
  const SetTargets targets = FindSetTargets(options.what, options.directory);
  if (targets.found.empty()) return Complain(targets.error, targets.what_works);
  int status = 0;
  for (const SetTarget& target : targets.found) status = std::max(status, SetOne(options, target));
  return status;
}

}  // namespace heaptally::cli
