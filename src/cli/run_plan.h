// Everything about a run that has to be known before its start, and what is said when it can't be as asked for.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "cli/run_options.h"
#include "collect/reach.h"
#include "collect/watch.h"

namespace heaptally::cli {

struct Plan {
  std::string program;  // the file to execute
  collect::Reach reach;
  std::string agent;        // the agent's file; "" if this run goes without
  std::string preload;      // as LD_PRELOAD names it
  std::string why_without;  // sentences: why nothing will be recorded; "" if something will
  std::string what_works;
  std::string run_id;
};

// Never fails: a plan without an agent says why, and the program can still be run.
Plan MakePlan(const RunOptions& options, const std::string& program, const std::vector<std::string>& environment);

// Complains about a program that is not there (127) or cannot be executed (126); `error` is the errno. Returns the exit
// status.
int ProgramNotFound(const std::string& name, int error, const std::vector<std::string>& environment);
int ExecFailed(const std::string& path, int error);

// Says, before the start, that the program runs unprofiled and why.
void SayUnprofiled(const Plan& plan);

// Says, while it runs, that the child (or what it has exec'd) is not being recorded, and why.
void SayUnseen(const collect::Unseen& unseen, const Plan& plan, pid_t child, const RunOptions& options);

}  // namespace heaptally::cli
