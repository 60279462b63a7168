// What each subcommand says of itself, gathered from its own --help: the man page and the completions are made from this,
// so that they cannot disagree with it.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace heaptally::cli {

struct OptionDescription {
  std::vector<std::string> names;  // "-o", "--output"
  std::string value;               // "FILE"; "" for a switch
  std::string text;
};

struct CommandDescription {
  std::string name;
  std::string purpose;   // one line
  std::string usage;     // "heaptally run [options] ...", then what it does
  std::string examples;  // lines of "  command   what for"
  std::vector<OptionDescription> options;
};

// Every subcommand, in the order of Subcommands().
std::vector<CommandDescription> DescribeCommands();

// Called by Parse: true if somebody is gathering descriptions, and then `app` is taken down and nothing is to be done.
bool TakenDown(const CLI::App& app);

}  // namespace heaptally::cli
