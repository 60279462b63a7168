// From the name that a user types to the file that the kernel executes: PATH as execvp searches it, and "#!" lines.
#pragma once

#include <string>
#include <vector>

namespace heaptally::collect {

// Value of NAME in a list of NAME=value, or nullptr.
const char* ValueIn(const std::vector<std::string>& environment, const std::string& name);

struct Found {
  std::string path;  // "" if there is none
  int error = 0;     // ENOENT, EACCES, ENOTDIR, ...: why not
};

// As execvp: a name with a slash is itself; else the first executable file in PATH (a file that may not be executed is
// passed over, and is the error if nothing better comes).
Found FindProgram(const std::string& name, const std::vector<std::string>& environment);

struct Script {
  bool is_script = false;
  std::string interpreter;
  std::string argument;  // the rest of the line, one argument, "" if none
};

// Reads a "#!" line.
Script ReadScriptLine(const std::string& path);

// Follows "#!" lines (at most 4, as the kernel does) and "env NAME" to the file that is executed in the end. Returns
// `path` itself where it is no script; a missing interpreter ends the walk at its name.
std::string FollowScript(const std::string& path, const std::vector<std::string>& environment);

// All executable names in PATH, to offer the nearest for a mistyped one.
std::vector<std::string> ProgramNames(const std::vector<std::string>& environment);

}  // namespace heaptally::collect
