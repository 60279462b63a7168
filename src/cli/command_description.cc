#include "cli/command_description.h"

#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace heaptally::cli {
namespace {

CommandDescription* gathering = nullptr;  // the tool has one thread here

std::string WithoutPrefix(const std::string& text, const std::string& prefix) {
  return text.rfind(prefix, 0) == 0 ? text.substr(prefix.size()) : text;
}

}  // namespace

bool TakenDown(const CLI::App& app) {
  if (gathering == nullptr) return false;
  gathering->usage = WithoutPrefix(app.get_description(), "Usage: ");
  gathering->examples = WithoutPrefix(app.get_footer(), "Examples:\n");
  for (const CLI::Option* option : app.get_options()) {
    OptionDescription description;
    for (const std::string& name : option->get_snames()) description.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) description.names.push_back("--" + name);
    if (description.names.empty()) continue;  // a positional: the usage line names it
    if (option->get_expected_min() > 0 && option->get_type_size() > 0) description.value = option->get_type_name();
    description.text = option->get_description();
    gathering->options.push_back(std::move(description));
  }
  return true;
}

std::vector<CommandDescription> DescribeCommands() {
  std::vector<CommandDescription> commands;
  for (const Subcommand& subcommand : Subcommands()) {
    CommandDescription description{.name = subcommand.name, .purpose = subcommand.purpose};
    description.usage = "heaptally " + description.name;
    if (subcommand.has_options) {
      gathering = &description;
      subcommand.main({"--help"});
      gathering = nullptr;
    }
    commands.push_back(std::move(description));
  }
  return commands;
}

}  // namespace heaptally::cli
