#include "cli/run_plan.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <filesystem>

#include "cli/message.h"
#include "cli/suggest.h"
#include "cli/text.h"
#include "collect/agent_file.h"
#include "collect/find_program.h"
#include "collect/segments.h"

namespace heaptally::cli {
namespace {

std::string FreshRunId() {
  uint64_t random[1] = {static_cast<uint64_t>(getpid()) << 32 ^ static_cast<uint64_t>(time(nullptr))};
  [[maybe_unused]] const ssize_t got = getrandom(random, sizeof(random), 0);
  return fmt::format("{:016x}", random[0]);
}

void WithoutAgent(Plan* plan, const std::string& why, const std::string& what_works) {
  plan->agent.clear();
  if (!plan->why_without.empty()) return;
  plan->why_without = why;
  plan->what_works = what_works;
}

bool UsableDirectory(const std::string& directory, std::string* error) {
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(directory).parent_path(), failed);
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    *error = directory + " cannot be made: " + std::strerror(errno);
    return false;
  }
  if (!collect::ListSegments(directory, error)) return false;
  // The agent writes only where nobody else can put or read anything.
  struct stat status {};
  if (stat(directory.c_str(), &status) == 0 && (status.st_mode & 077) != 0) {
    *error = directory + " is open to other users (chmod 700 " + ShellQuoted(directory) + ")";
    return false;
  }
  if (status.st_uid != geteuid()) {
    *error = directory + " belongs to another user";
    return false;
  }
  if (access(directory.c_str(), W_OK | X_OK) == 0) return true;
  *error = directory + " cannot be written to: " + std::strerror(errno);
  return false;
}

}  // namespace

int ProgramNotFound(const std::string& name, int error, const std::vector<std::string>& environment) {
  if (error == ENOENT) {
    const bool has_path = name.find('/') != std::string::npos;
    const std::string nearest = has_path ? "" : Nearest(name, collect::ProgramNames(environment));
    const bool is_here = !has_path && std::filesystem::is_regular_file(name);
    Complain(name + (has_path ? " is not there" : " is not in PATH"),
             is_here           ? "./" + name + ", which is here"
             : nearest.empty() ? "the path of a program that exists" : nearest + ", if that was meant");
    return kNotFound;
  }
  const bool is_directory = std::filesystem::is_directory(name);
  Complain(name + " cannot be executed: " + (is_directory ? "it is a directory" : std::strerror(error)),
           error == EACCES && !is_directory ? "chmod +x " + ShellQuoted(name) + ", if it is a program" : "");
  return kCannotRun;
}

int ExecFailed(const std::string& path, int error) {
  if (error != ENOENT) {
    Complain(path + " cannot be executed: " + std::strerror(error),
             error == ENOEXEC ? "a program built for this machine; this file is none" : "");
    return kCannotRun;
  }
  const collect::Script script = collect::ReadScriptLine(path);
  Complain(path + " cannot be executed: its " + (script.is_script ? "interpreter " + script.interpreter : "loader") +
           " is not there");
  return kNotFound;
}

Plan MakePlan(const RunOptions& options, const std::string& program, const std::vector<std::string>& environment) {
  Plan plan = {.program = program, .reach = collect::CheckReach(program, environment), .run_id = FreshRunId()};
  std::string error;
  plan.agent = collect::FindAgent(&error);
  if (plan.agent.empty()) WithoutAgent(&plan, error + ".", "HEAPTALLY_AGENT=/path/to/libheaptally.so");
  if (!plan.agent.empty() && !UsableDirectory(options.directory, &error)) {
    WithoutAgent(&plan, "there is no place for the tally: " + error + ".",
                 "--dir with a directory of yours (chmod 700), on tmpfs, ext4 or xfs.");
  }
  if (!plan.agent.empty()) {
    plan.preload = collect::PreloadablePath(plan.agent, options.directory, &error);
    if (plan.preload.empty()) WithoutAgent(&plan, error, "HEAPTALLY_AGENT with a path without spaces.");
  }
  if (plan.reach.records_nothing()) {
    plan.why_without = plan.reach.why;
    plan.what_works = plan.reach.what_works;
    if (!plan.reach.preload) plan.agent.clear();
  }
  return plan;
}

void SayUnprofiled(const Plan& plan) {
  Complain(plan.why_without + (plan.agent.empty()
                                   ? " It runs unprofiled, as do programs that it starts: nothing is recorded."
                                   : " It runs unprofiled: nothing of it is recorded."),
           plan.what_works);
}

void SayUnseen(const collect::Unseen& unseen, const Plan& plan, pid_t child, const RunOptions& options) {
  if (unseen.pid != child || plan.reach.records_nothing()) return;
  const collect::Reach reach = collect::CheckReach(unseen.exe, {});
  if (reach.records_nothing()) {
    Complain(reach.why + " Nothing of it is recorded.", reach.what_works);
    return;
  }
  const bool replaced = reach.file != plan.reach.file;
  Complain(unseen.exe + " (pid " + std::to_string(unseen.pid) +
               ") runs without the agent, so nothing of it is recorded: " +
               (replaced ? (options.follow ? "it was started with a cleared or changed environment."
                                           : "--no-follow leaves out the programs that are started by another.")
                         : "the loader did not load it."),
           replaced && options.follow ? "heaptally run -- " + unseen.exe + " (behind whatever clears the environment)."
           : replaced                 ? "the same without --no-follow."
                                      : "LD_DEBUG=libs shows what the loader does.");
}

}  // namespace heaptally::cli
