// `heaptally run`: starts a program with the agent in it, stays out of its way, and says at its end where its memory
// went.
//
// While the program runs, nothing is written, with one exception: that nothing (or not all) of it is being recorded is
// said at once, so that nobody waits for hours for an empty report.
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "cli/color.h"
#include "cli/commands.h"
#include "cli/finish_run.h"
#include "cli/message.h"
#include "cli/render_summary.h"
#include "cli/run_facts.h"
#include "cli/run_options.h"
#include "cli/run_plan.h"
#include "cli/text.h"
#include "cli/units.h"
#include "cli/unseen_programs.h"
#include "collect/agent_file.h"
#include "collect/find_program.h"
#include "collect/launch.h"
#include "collect/reach.h"
#include "collect/segments.h"
#include "collect/watch.h"
#include "profile/merge_threads.h"

namespace heaptally::cli {
namespace {

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string CapturePath(const RunOptions& options, const std::string& start_directory, pid_t pid) {
  if (!options.output.empty()) return options.output;
  const std::string name = fmt::format("{}.{}.heaptally", BaseName(options.command[0]), pid);
  if (access(start_directory.c_str(), W_OK | X_OK) == 0) return start_directory + "/" + name;
  return std::filesystem::temp_directory_path().string() + "/" + name;
}

// As short as it can be typed from where we are.
std::string Typed(const std::string& path) {
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string() + "/";
  return path.starts_with(here) ? path.substr(here.size()) : path;
}

RunFacts Facts(const RunOptions& options, const Plan& plan, pid_t pid, const collect::Ending& ending, double seconds,
               uint64_t own_bytes, const collect::Watch& watch) {
  RunFacts facts = {
      .command = options.command, .pid = pid, .seconds = seconds, .ending = ending, .notes = plan.reach.notes};
  if (plan.reach.barrier == collect::Barrier::kHiddenMalloc) facts.notes.push_back(plan.reach.why);
  if (const collect::Watched* seen = watch.Find(pid); seen != nullptr) {
    const std::chrono::duration<double> age = collect::Clock::now() - seen->last_seen;
    facts.resident = LastResident{
        .rss_bytes = seen->last.rss_bytes, .shared_bytes = seen->last.shared_bytes, .seconds_before_end = age.count()};
    facts.highest_resident_bytes = seen->highest_bytes;
  }
  facts.accounts = watch.accounts();
  // The kernel's maximum is that of the child and its descendants, from the fork on: below what we had ourselves it
  // says nothing.
  const auto by_kernel = static_cast<uint64_t>(ending.usage.ru_maxrss) * 1024;
  if (by_kernel > own_bytes) facts.largest_resident_bytes = by_kernel;
  return facts;
}

void AddOnce(const std::string& note, std::vector<std::string>* notes) {
  if (std::find(notes->begin(), notes->end(), note) == notes->end()) notes->push_back(note);
}

// The program that the child was when it ended, if it is not one of those recorded.
void NoteUnrecordedEnd(const collect::Watch& watch, const RunResult& result, RunFacts* facts) {
  const collect::Watched* seen = watch.Find(facts->pid);
  const profile::Profile* last = nullptr;
  bool recorded = false;
  for (const profile::Profile& profile : result.profiles) {
    if (profile.pid != facts->pid) continue;
    last = &profile;
    recorded = recorded || (seen != nullptr && profile.exe == seen->exe);
  }
  if (last == nullptr) return;
  if (seen != nullptr && !seen->exe.empty() && !recorded) {
    facts->notes.push_back(fmt::format("{} executed {}, which was not recorded (cleared environment, or out of reach)",
                                       last->exe, seen->exe));
  } else if (last->state == profile::State::kExecd) {
    facts->notes.push_back(fmt::format(
        "{} executed another program, which was not recorded (cleared environment, or out of reach)", last->exe));
  }
}

uint64_t CapOf(const RunOptions& options) {
  if (options.cap_bytes != 0) return options.cap_bytes;
  struct statvfs room {};
  const uint64_t whole = statvfs(options.directory.c_str(), &room) == 0 ? uint64_t{room.f_blocks} * room.f_frsize : 0;
  return std::max<uint64_t>(whole / 4, 64u << 20);
}

void SayIfFull(const RunOptions& options) {
  const uint64_t bytes = DeadSegmentBytes(options.directory);
  const uint64_t cap = CapOf(options);
  if (bytes <= cap) return;
  const bool usual = options.directory == collect::SegmentDirectory();
  Complain(
      fmt::format("tallies of dead processes take {} in {} (more than {}).", FormatBytes(static_cast<double>(bytes)),
                  options.directory, FormatBytes(static_cast<double>(cap))),
      std::string("heaptally ls --prune") + (usual ? "" : " --dir " + ShellQuoted(options.directory)) +
          " removes them.");
}

void SayNothingRecorded(const Plan& plan, const RunResult& result, const RunOptions& options) {
  if (!plan.why_without.empty()) return;  // said before the start
  std::string why = "nothing was recorded: the agent left no tally in " + options.directory +
                    " (no space left there, a file size limit, or the loader did not load it).";
  if (!result.problems.empty()) why = "nothing was recorded: " + result.problems[0];
  Complain(why, "--dir with a directory that has room; LD_DEBUG=libs shows what the loader does.");
}

// The capture also holds what is known of the run as a whole: as notes of the program's own last image.
bool WriteWithNotes(const std::string& capture, const RunFacts& facts, RunMoments* moments, RunResult* result) {
  profile::Profile* last = &result->profiles.back();
  for (profile::Profile& profile : result->profiles) {
    if (profile.pid == facts.pid) last = &profile;
  }
  const std::vector<std::string> own = last->notes;
  for (const std::string& program : facts.unseen) AddOnce("Not recorded: " + program, &last->notes);
  for (const std::string& note : facts.notes) AddOnce(note, &last->notes);
  const size_t index = static_cast<size_t>(last - result->profiles.data());
  const bool written = WriteRunCapture(capture, moments, result);
  result->profiles[index].notes = own;  // the summary says them in its own words
  return written;
}

// Returns the exit status where the program's own is 0.
int Finish(const RunOptions& options, const Plan& plan, const collect::Watch& watch,
            const collect::KeptModules& kept, const std::string& capture, RunMoments* moments, RunFacts* facts) {
  RunResult result = GatherRun(options.directory, plan.run_id, *facts, kept);
  if (result.profiles.empty()) {
    SayNothingRecorded(plan, result, options);
    return options.fail_if.any() ? kOurFailure : 0;
  }
  NoteUnrecordedEnd(watch, result, facts);
  facts->unseen = ProgramsUnseen(plan, facts->pid, watch, result.without, &result.profiles);
  for (const profile::Profile& profile : result.profiles) {
    for (const std::string& note : collect::HeapNotes(profile.exe, collect::CurrentEnvironment()))
      AddOnce(note, &facts->notes);
  }
  if (WriteWithNotes(capture, *facts, moments, &result)) {
    facts->capture = Typed(capture);
    RemoveDeadSegments(&result);
  }
  for (profile::Profile& profile : result.profiles) profile::MergeThreads(&profile);
  ColorIsFor(Stream::kErr);
  const Screen screen = {.width = TerminalWidth(STDERR_FILENO), .rows = TerminalRows(STDERR_FILENO)};
  std::fputs(RenderSummary(*facts, result.profiles, screen).c_str(), stderr);
  for (const std::string& problem : result.problems) Remark(problem);
  if (facts->capture.empty()) {
    Complain("the tallies are still there.", "heaptally report " + ShellQuoted(result.segments[0]));
  }
  SayIfFull(options);
  return options.fail_if.Check(result.profiles);
}

int StartAndWait(const RunOptions& options, const Plan& plan, const std::vector<std::string>& environment) {
  const std::string start_directory = std::filesystem::current_path().string();
  collect::Command command = {.path = plan.program, .argv = options.command, .environment = environment};
  if (!plan.agent.empty()) {
    command.environment = collect::WithAgent(environment, plan.preload,
                                             {.mode = options.mode,
                                              .period = options.period,
                                              .directory = options.directory,
                                              .run_id = plan.run_id,
                                              .follow = options.follow});
  }
  collect::Child child;
  const auto begin = collect::Clock::now();
  const uint64_t own_bytes = collect::ReadHighestResident(getpid());
  if (const int error = child.Start(command); error != 0) return ExecFailed(plan.program, error);
  collect::Watch watch(child.pid(), plan.agent, options.follow);
  const auto on_unseen = [&](const collect::Unseen& unseen) { SayUnseen(unseen, plan, child.pid(), options); };
  collect::KeptModules kept;
  const auto look_at_modules = [&] { kept.LookAtRun(options.directory, plan.run_id); };
  const std::string capture = CapturePath(options, start_directory, child.pid());
  RunMoments moments(plan.agent.empty() ? 0 : options.every_seconds, options.directory, plan.run_id, capture);
  const auto look = [&] {
    watch.Look(on_unseen);
    look_at_modules();
    moments.Look();
  };
  const collect::Ending ending = child.Wait(look, [&] { return moments.UntilNext(); });
  look_at_modules();  // of those that live on
  const std::chrono::duration<double> took = collect::Clock::now() - begin;
  RunFacts facts = Facts(options, plan, child.pid(), ending, took.count(), own_bytes, watch);
  child.ReleaseSignals();
  // Without an agent nothing is known: a condition cannot be said not to hold.
  const int status = !plan.agent.empty()      ? Finish(options, plan, watch, kept, capture, &moments, &facts)
                     : options.fail_if.any() ? kOurFailure
                                             : 0;
  return ending.shell_status() != 0 ? ending.shell_status() : status;
}

}  // namespace

int RunCommand(const std::vector<std::string>& arguments) {
  RunOptions options;
  if (const int status = ParseRunOptions(arguments, &options); status >= 0) return status;
  const std::vector<std::string> environment = collect::CurrentEnvironment();
  const collect::Found found = collect::FindProgram(options.command[0], environment);
  if (found.path.empty()) return ProgramNotFound(options.command[0], found.error, environment);
  const Plan plan = MakePlan(options, found.path, environment);
  if (!plan.why_without.empty()) {
    if (options.require) return Complain(plan.why_without + " Not started, because of --require.", plan.what_works);
    SayUnprofiled(plan);
  }
  return StartAndWait(options, plan, environment);
}

}  // namespace heaptally::cli
