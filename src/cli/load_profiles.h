// From what a user names - a capture, a segment, a process - to profiles with names.
#pragma once

#include <string>
#include <vector>

#include "profile/profile.h"

namespace heaptally::cli {

struct Loaded {
  std::vector<profile::Profile> profiles;
  std::vector<std::string> remarks;  // sentences: what could not be read
  std::string error;                 // a sentence; then there are no profiles
  std::string what_works;
  std::string title;  // "capture server.heaptally", "pid 4711 (running)"
};

// `what`: a file (capture or segment; told apart by content), a moment of a capture ("file@12.5s", moment_choice.h), or
// a pid. Of a pid, all images that are still there are
// loaded, of forked children too if they are asked for by their own pid.
Loaded LoadProfiles(const std::string& what, const std::string& directory);

}  // namespace heaptally::cli
