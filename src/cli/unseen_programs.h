// The programs of a run that were not recorded, from all who know of some: the plan, which looked at the program before its
// start; the exec hooks, which know each program that they left the agent out of; and the watch, which looked from outside.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "cli/run_plan.h"
#include "collect/segments.h"
#include "collect/watch.h"
#include "profile/profile.h"

namespace heaptally::cli {

// `without`: programs whose agent found no room. "tool (pid 4711), statically linked", each program once. Takes the notes that say the same out of the profiles.
std::vector<std::string> ProgramsUnseen(const Plan& plan, pid_t child, const collect::Watch& watch,
                                        const std::vector<collect::ProcessWithoutSegment>& without,
                                        std::vector<profile::Profile>* profiles);

}  // namespace heaptally::cli
