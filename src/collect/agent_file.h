// Where the agent (libheaptally.so) is, and how a program is told to load it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heaptally::collect {

// The agent's absolute path: HEAPTALLY_AGENT if set, else ../lib/libheaptally.so beside the tool, else the installed
// place. On failure returns "" and sets *error to a sentence that names every place that was looked at.
std::string FindAgent(std::string* error);

// LD_PRELOAD separates by spaces and colons and expands '$', without any quoting: a path with one of them is replaced
// by a link of a plain name in `link_directory` (made if need be; it stays, since programs still running may exec).
// Returns "" and sets *error if neither will do.
std::string PreloadablePath(const std::string& agent, const std::string& link_directory, std::string* error);

struct AgentOptions {
  std::string mode = "exact";  // bytes, exact, count or per-class
  uint64_t period = 0;         // bytes, or calls; 0: the agent's default
  std::string directory;      // of the segments; absolute, without commas
  std::string run_id;         // "" if none
  bool follow = true;
};

// `environment` with the agent put first in LD_PRELOAD, before what the user has there, and HEAPTALLY set.
std::vector<std::string> WithAgent(std::vector<std::string> environment, const std::string& agent_path,
                                   const AgentOptions& options);

// The current environment as a list of NAME=value.
std::vector<std::string> CurrentEnvironment();

}  // namespace heaptally::collect
