#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/completion_values.h"

namespace heaptally::cli {
namespace {

// Text between single quotes, in a specification of _arguments, where [ ] : have a meaning.
std::string Quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else if (c == '[' || c == ']' || c == ':' || c == '\\') {
      out += std::string("\\") + c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string ValueSpecification(const CommandDescription& command, const OptionDescription& option) {
  const Values values = ValuesOf(command, option);
  switch (values.kind) {
    case ValueKind::kNone:
      return "";
    case ValueKind::kFile:
      return ":file:_files";
    case ValueKind::kDirectory:
      return ":directory:_files -/";
    case ValueKind::kOneOf:
      return fmt::format(":{}:({})", Quoted(option.value), fmt::join(values.choices, " "));
    case ValueKind::kAnything:
      break;
  }
  return ":" + Quoted(option.value) + ": ";
}

std::string OptionSpecification(const CommandDescription& command, const OptionDescription& option) {
  const std::string tail = "[" + Quoted(option.text) + "]" + ValueSpecification(command, option);
  if (option.names.size() == 1) return "'" + option.names[0] + tail + "'";
  return fmt::format("'({})'{{{}}}'{}'", fmt::join(option.names, " "), fmt::join(option.names, ","), tail);
}

std::string WordsSpecification(const CommandDescription& command) {
  switch (WordsOf(command)) {
    case WordKind::kCapturesAndPids:
      return "'*:capture or pid:_heaptally_captures_and_pids'";
    case WordKind::kProgram:
      return "'(-)1:program:_command_names -e' '*::arguments:_normal'";
    case WordKind::kTopics: {
      std::vector<std::string> words = HelpTopicNames();
      for (const Subcommand& other : Subcommands()) words.push_back(other.name);
      return fmt::format("'1:topic:({})'", fmt::join(words, " "));
    }
    case WordKind::kShells:
      return "'1:shell:(bash zsh fish)'";
    case WordKind::kNothing:
      break;
  }
  return "";
}

}  // namespace

std::string ZshCompletion(const std::vector<CommandDescription>& commands) {
  std::string names, cases;
  for (const CommandDescription& command : commands) {
    names += fmt::format("    '{}:{}'\n", command.name, Quoted(command.purpose));
    cases += fmt::format("    {})\n      _arguments -s -S", command.name);
    for (const OptionDescription& option : command.options) {
      cases += " \\\n        " + OptionSpecification(command, option);
    }
    const std::string words = WordsSpecification(command);
    cases += (words.empty() ? "" : " \\\n        " + words) + " ;;\n";
  }
  return fmt::format(
      "#compdef heaptally\n"
      "# Completion of heaptally for zsh, made by `heaptally completion zsh`.\n\n"
      "_heaptally_captures_and_pids() {{\n"
      "  local -a pids\n"
      "  pids=(${{(f)\"$(heaptally ls 2>/dev/null | awk '$1 + 0 > 0 {{print $1}}')\"}})\n"
      "  (( $#pids )) && compadd -X 'profiled processes' -a pids\n"
      "  _files -g '*.heaptally'\n"
      "}}\n\n"
      "_heaptally() {{\n"
      "  local -a commands\n"
      "  commands=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe -t commands 'heaptally command' commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $command in\n{}  esac\n"
      "}}\n\n"
      "if [[ $funcstack[1] == _heaptally ]]; then _heaptally \"$@\"; else compdef _heaptally heaptally; fi\n",
      names, cases);
}

}  // namespace heaptally::cli
