// What `heaptally run` was asked to do, checked before anything is started.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/fail_if.h"

namespace heaptally::cli {

struct RunOptions {
  std::vector<std::string> command;
  std::string mode = "bytes";  // bytes, exact, count or per-class
  uint64_t period = 0;         // bytes, or calls; 0: the agent's default
  std::string output;         // "" : <name>.<pid>.heaptally here
  std::string directory;      // of the segments, absolute
  bool follow = true;
  bool require = false;
  FailIf fail_if;
  double every_seconds = 0;  // between moments of the capture; 0: the end alone
  uint64_t cap_bytes = 0;  // of all segments in the directory; 0: a quarter of the file system, at least 64 MiB
};

// Returns -1 to go on, else the exit status (0 after --help, 125 after a complaint).
int ParseRunOptions(const std::vector<std::string>& arguments, RunOptions* options);

}  // namespace heaptally::cli
