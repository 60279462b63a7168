#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/completion_values.h"

namespace heaptally::cli {
namespace {

std::string Quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "'";
}

std::string OptionLine(const CommandDescription& command, const OptionDescription& option) {
  std::string line = "complete -c heaptally -n '__fish_seen_subcommand_from " + command.name + "'";
  for (const std::string& name : option.names) {
    line += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  const Values values = ValuesOf(command, option);
  switch (values.kind) {
    case ValueKind::kNone:
      break;
    case ValueKind::kAnything:
      line += " -x";
      break;
    case ValueKind::kFile:
      line += " -r -F";
      break;
    case ValueKind::kDirectory:
      line += " -x -a '(__fish_complete_directories)'";
      break;
    case ValueKind::kOneOf:
      line += fmt::format(" -x -a '{}'", fmt::join(values.choices, " "));
      break;
  }
  return line + " -d " + Quoted(option.text) + "\n";
}

std::string WordLine(const CommandDescription& command) {
  const std::string line = "complete -c heaptally -n '__fish_seen_subcommand_from " + command.name + "'";
  switch (WordsOf(command)) {
    case WordKind::kCapturesAndPids:
      return line + " -a '(__fish_complete_suffix .heaptally)' -d capture\n" + line +
             " -a '(heaptally ls 2>/dev/null | awk \"\\$1 + 0 > 0 {print \\$1}\")' -d 'profiled process'\n";
    case WordKind::kProgram:
      return line + " -a '(__fish_complete_subcommand --fcs-skip=2)'\n";
    case WordKind::kTopics: {
      std::vector<std::string> words = HelpTopicNames();
      for (const Subcommand& other : Subcommands()) words.push_back(other.name);
      return line + fmt::format(" -a '{}'\n", fmt::join(words, " "));
    }
    case WordKind::kShells:
      return line + " -a 'bash zsh fish'\n";
    case WordKind::kNothing:
      break;
  }
  return "";
}

}  // namespace

std::string FishCompletion(const std::vector<CommandDescription>& commands) {
  std::string out =
      "# Completion of heaptally for fish, made by `heaptally completion fish`.\n"
      "complete -c heaptally -f\n";
  for (const CommandDescription& command : commands) {
    out += fmt::format("complete -c heaptally -n __fish_use_subcommand -a {} -d {}\n", command.name,
                       Quoted(command.purpose));
  }
  for (const CommandDescription& command : commands) {
    out += WordLine(command);
    for (const OptionDescription& option : command.options) out += OptionLine(command, option);
  }
  return out;
}

}  // namespace heaptally::cli
