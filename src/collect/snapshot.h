// A snapshot: every image of some segments at the present moment, read from outside, as profiles.
//
// Processes are neither stopped nor signalled, and need not be alive. What can't be read is an error sentence beside
// the rest: partial results beat none.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace heaptally::collect {

// How and when a process ended, from somebody who waited for it.
struct ProcessEnd {
  profile::ExitStatus exit;
  uint64_t unix_ns = 0;  // 0: not known
};

struct SnapshotOptions {
  std::map<int32_t, ProcessEnd> ended;  // by pid
};

struct Snapshot {
  std::vector<profile::Profile> profiles;  // ordered by pid, then by start
  std::vector<std::string> errors;         // one sentence each
};

Snapshot TakeSnapshot(const std::vector<std::string>& segment_paths, const SnapshotOptions& options = {});

}  // namespace heaptally::collect
