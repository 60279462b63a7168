// After the program's end: read what its processes left, name the frames, write the capture, remove what was captured.
#pragma once

#include <string>
#include <vector>

#include "cli/run_facts.h"
#include "cli/run_moments.h"
#include "collect/kept_modules.h"
#include "collect/segments.h"
#include "collect/snapshot.h"
#include "profile/profile.h"

namespace heaptally::cli {

struct RunResult {
  std::vector<profile::Profile> profiles;
  std::vector<std::string> segments;  // all that belong to the run
  std::vector<collect::ProcessWithoutSegment> without;  // programs whose agent found no room for one
  std::vector<std::string> problems;  // sentences: what could not be read or written
};

// Reads all segments of the run and names the frames. Shows progress on a terminal if that takes more than a second.
// `kept`: what was noted of the processes while they lived.
RunResult GatherRun(const std::string& directory, const std::string& run_id, const RunFacts& facts,
                    const collect::KeptModules& kept);

// Writes the capture (`moments`: goes on with theirs) and returns true; else adds a problem.
bool WriteRunCapture(const std::string& path, RunMoments* moments, RunResult* result);

// Removes the segments that no process lives in any more.
void RemoveDeadSegments(RunResult* result);

// Bytes that segments of dead processes take in the directory.
uint64_t DeadSegmentBytes(const std::string& directory);

}  // namespace heaptally::cli
