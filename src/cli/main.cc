// heaptally: which code allocated the memory that is live now, and which code allocates most often.
#include <unistd.h>

#include <cstdio>
#include <exception>

#include "cli/commands.h"
#include "cli/message.h"
#include "cli/suggest.h"

#ifndef HEAPTALLY_VERSION
#define HEAPTALLY_VERSION "unknown"
#endif

namespace heaptally::cli {
namespace {

int UnknownCommand(const std::string& name) {
  std::vector<std::string> names;
  for (const Subcommand& command : Subcommands()) names.push_back(command.name);
  const std::string meant = MeantCommand(name);
  const std::string nearest = meant.empty() ? Nearest(name, names) : meant;
  if (!nearest.empty()) return Complain("there is no command \"" + name + "\"", "heaptally " + nearest);
  if (access(name.c_str(), X_OK) == 0) {
    return Complain("there is no command \"" + name + "\"", "to profile a program: heaptally run -- " + name);
  }
  return Complain("there is no command \"" + name + "\"", "heaptally help");
}

int Main(const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h") {
    std::fputs(Overview().c_str(), stdout);
    return 0;
  }
  if (words[0] == "--version") {
    std::puts("heaptally " HEAPTALLY_VERSION);
    return 0;
  }
  for (const Subcommand& command : Subcommands()) {
    if (words[0] == command.name) return command.main({words.begin() + 1, words.end()});
  }
  return UnknownCommand(words[0]);
}

}  // namespace
}  // namespace heaptally::cli

int main(int argc, char** argv) {
  try {
    const int status = heaptally::cli::Main({argv + (argc > 0 ? 1 : 0), argv + argc});
    if (std::fflush(stdout) != 0)
      return heaptally::cli::Complain("the output could not be written (is the disk full?)");
    return status;
  } catch (const std::exception& error) {
    return heaptally::cli::Complain(std::string("the tool itself failed: ") + error.what());
  }
}
