// Which images `heaptally set` speaks to: those of running processes, by pid or by program name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "segment/layout.h"

namespace heaptally::cli {

struct SetTarget {
  std::string segment;  // its file
  uint32_t index = 0;   // of the image in it
  int32_t pid = 0;      // as it sees itself
  std::string program;
};

struct SetTargets {
  std::vector<SetTarget> found;
  std::string error;  // a sentence, where nothing is found
  std::string what_works;
};

// `what`: a pid, or the name of a program. Of a process that exec'd only the present program is meant.
SetTargets FindSetTargets(const std::string& what, const std::string& directory);

}  // namespace heaptally::cli
