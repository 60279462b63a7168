// The subcommands. Each takes the words behind its name and returns the exit status: 0, or 125 with a complaint on
// stderr; `run` returns the program's own status.
#pragma once

#include <string>
#include <vector>

namespace heaptally::cli {

int RunCommand(const std::vector<std::string>& arguments);
int ReportCommand(const std::vector<std::string>& arguments);
int DiffCommand(const std::vector<std::string>& arguments);
int SnapshotCommand(const std::vector<std::string>& arguments);
int FlameCommand(const std::vector<std::string>& arguments);
int ExportCommand(const std::vector<std::string>& arguments);
int LsCommand(const std::vector<std::string>& arguments);
int SetCommand(const std::vector<std::string>& arguments);
int HelpCommand(const std::vector<std::string>& arguments);
int CompletionCommand(const std::vector<std::string>& arguments);
int ManCommand(const std::vector<std::string>& arguments);

struct Subcommand {
  const char* name;
  int (*main)(const std::vector<std::string>& arguments);
  const char* purpose;
  const char* example;
  bool first = true;        // one of the few that `heaptally` alone shows with an example
  bool has_options = true;  // its words go through Parse
};

const std::vector<Subcommand>& Subcommands();

// What `heaptally` alone says.
std::string Overview();

// The topics of `heaptally help`, and a topic's text.
std::vector<std::string> HelpTopicNames();
std::string HelpTopicText(const std::string& name);

}  // namespace heaptally::cli
