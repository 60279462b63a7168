// The subcommands. Each takes the words behind its name and returns the exit status: 0, or 125 with a complaint on
// stderr; `run` returns the program's own status.
#pragma once

#include <string>
#include <vector>

namespace heaptally::cli {

int RunCommand(const std::vector<std::string>& arguments);
int ReportCommand(const std::vector<std::string>& arguments);
int FlameCommand(const std::vector<std::string>& arguments);
int ExportCommand(const std::vector<std::string>& arguments);
int LsCommand(const std::vector<std::string>& arguments);
int HelpCommand(const std::vector<std::string>& arguments);

struct Subcommand {
  const char* name;
  int (*main)(const std::vector<std::string>& arguments);
  const char* purpose;
  const char* example;
};

const std::vector<Subcommand>& Subcommands();

// What `heaptally` alone says.
std::string Overview();

}  // namespace heaptally::cli
