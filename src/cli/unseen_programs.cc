#include "cli/unseen_programs.h"

#include <algorithm>
#include <map>

#include "collect/reach.h"

namespace heaptally::cli {
namespace {

using profile::UnfollowedProgram;

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void Add(const UnfollowedProgram& program, std::vector<UnfollowedProgram>* programs) {
  for (UnfollowedProgram& known : *programs) {
    if (BaseName(known.path) != BaseName(program.path) || known.why != program.why) continue;
    known.times += program.times;
    return;
  }
  programs->push_back(program);
}

// What the exec hooks noted, over all files of the run.
std::vector<UnfollowedProgram> TakeNoted(std::vector<profile::Profile>* profiles) {
  std::vector<UnfollowedProgram> programs;
  for (profile::Profile& profile : *profiles) {
    for (const UnfollowedProgram& program : profile.unfollowed) {
      Add(program, &programs);
      std::erase(profile.notes, "Not recorded: " + profile::Words(program));
    }
  }
  return programs;
}

// Programs that the watch saw: those that the agent cannot reach, however short they were, and those that were looked into
// after a second.
std::vector<UnfollowedProgram> Watched(pid_t child, const collect::Watch& watch) {
  std::map<pid_t, UnfollowedProgram> found;
  std::map<std::string, std::string> asked;
  for (const auto& [pid, seen] : watch.watched()) {
    if (pid == child || seen.exe.empty()) continue;
    const auto [known, is_new] = asked.try_emplace(seen.exe);
    if (is_new) {
      const collect::Reach reach = collect::CheckReach(seen.exe, {});
      if (reach.records_nothing()) known->second = collect::BarrierWords(reach.barrier);
    }
    if (!known->second.empty()) found[pid] = {.path = seen.exe, .why = known->second, .times = 1, .pid = pid};
  }
  for (const collect::Unseen& unseen : watch.unseen()) {
    if (unseen.pid == child) continue;
    found.try_emplace(unseen.pid, UnfollowedProgram{.path = unseen.exe,
                                                    .why = "without the agent (cleared environment?)",
                                                    .times = 1,
                                                    .pid = unseen.pid});
  }
  std::vector<UnfollowedProgram> out;
  for (const auto& [pid, program] : found) out.push_back(program);
  return out;
}

}  // namespace

std::vector<std::string> ProgramsUnseen(const Plan& plan, pid_t child, const collect::Watch& watch,
                                        const std::vector<collect::ProcessWithoutSegment>& without,
                                        std::vector<profile::Profile>* profiles) {
  std::vector<UnfollowedProgram> programs = TakeNoted(profiles);
  for (const collect::ProcessWithoutSegment& process : without) {
    Add({.path = process.program,
         .why = "which found no room for its tally (a full directory, or a limit of file size or memory: --dir names another)",
         .times = 1,
         .pid = process.pid},
        &programs);
  }
  const std::vector<UnfollowedProgram> noted = programs;
  for (const UnfollowedProgram& seen : Watched(child, watch)) {
    const bool is_noted = std::any_of(noted.begin(), noted.end(), [&](const UnfollowedProgram& program) {
      return program.pid == seen.pid || BaseName(program.path) == BaseName(seen.path);
    });
    if (!is_noted) Add(seen, &programs);
  }
  if (plan.reach.records_nothing()) {
    programs.insert(programs.begin(), {.path = plan.reach.file,
                                       .why = collect::BarrierWords(plan.reach.barrier),
                                       .times = 1,
                                       .pid = child});
  }
  std::vector<std::string> out;
  for (const UnfollowedProgram& program : programs) out.push_back(profile::Words(program));
  return out;
}

}  // namespace heaptally::cli
