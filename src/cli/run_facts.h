// What `run` knows about a run beside the profiles: what was started, how it ended, and what was seen from outside.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "collect/launch.h"
#include "collect/watch.h"

namespace heaptally::cli {

struct LastResident {
  uint64_t rss_bytes = 0;
  uint64_t shared_bytes = 0;
  double seconds_before_end = 0;
};

struct RunFacts {
  std::vector<std::string> command;  // as it was typed
  pid_t pid = 0;
  double seconds = 0;
  collect::Ending ending;
  std::string capture;                   // as it should be typed; "" if none was written
  std::optional<LastResident> resident;  // of `pid` itself
  std::vector<collect::ProcessAccount> accounts;  // the last one of each image that was seen
  uint64_t highest_resident_bytes = 0;   // of `pid`, up to the last look; 0 if not known
  uint64_t largest_resident_bytes = 0;   // of any process of the run, as the kernel has it; 0 if not known
  std::vector<std::string> notes;        // sentences without a full stop
  std::vector<std::string> unseen;       // programs that ran without the agent: "tool (pid 4711), statically linked"
};

}  // namespace heaptally::cli
