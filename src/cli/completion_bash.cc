#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/completion_values.h"

namespace heaptally::cli {
namespace {

std::string Joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

std::string AllNames(const CommandDescription& command) {
  std::vector<std::string> names;
  for (const OptionDescription& option : command.options) names.push_back(LongestName(option));
  return Joined(names);
}

std::string ValueAction(const Values& values) {
  switch (values.kind) {
    case ValueKind::kFile:
      return "_heaptally_files";
    case ValueKind::kDirectory:
      return "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$current\")";
    case ValueKind::kOneOf:
      return "mapfile -t COMPREPLY < <(compgen -W '" + Joined(values.choices) + "' -- \"$current\")";
    case ValueKind::kAnything:
    case ValueKind::kNone:
      break;
  }
  return "COMPREPLY=()";
}

// The cases of "what can stand behind this option".
std::string ValueCases(const CommandDescription& command) {
  std::string out;
  for (const OptionDescription& option : command.options) {
    if (option.value.empty()) continue;
    out += fmt::format("        {}) {}; return ;;\n", fmt::join(option.names, "|"),
                       ValueAction(ValuesOf(command, option)));
  }
  return out;
}

std::string WordAction(const CommandDescription& command) {
  switch (WordsOf(command)) {
    case WordKind::kCapturesAndPids:
      return "_heaptally_captures_and_pids";
    case WordKind::kTopics: {
      std::vector<std::string> words = HelpTopicNames();
      for (const Subcommand& other : Subcommands()) words.push_back(other.name);
      return "mapfile -t COMPREPLY < <(compgen -W '" + Joined(words) + "' -- \"$current\")";
    }
    case WordKind::kShells:
      return "mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- \"$current\")";
    case WordKind::kProgram:
    case WordKind::kNothing:
      break;
  }
  return "COMPREPLY=()";
}

std::string CommandCase(const CommandDescription& command) {
  std::string out = fmt::format("    {})\n", command.name);
  const std::string values = ValueCases(command);
  if (!values.empty()) out += "      case $previous in\n" + values + "      esac\n";
  if (!command.options.empty()) {
    out += fmt::format(
        "      if [[ $current == -* ]]; then\n"
        "        mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$current\"); return\n"
        "      fi\n",
        AllNames(command));
  }
  return out + "      " + WordAction(command) + " ;;\n";
}

// `run` ends its own options at the program, whose own completion takes over there.
std::string RunPart(const CommandDescription& run) {
  std::vector<std::string> with_value;
  for (const OptionDescription& option : run.options) {
    if (!option.value.empty()) with_value.insert(with_value.end(), option.names.begin(), option.names.end());
  }
  return fmt::format(
      "# Where the program begins in a line of `heaptally run`: its index, or nothing.\n"
      "_heaptally_program_at() {{\n"
      "  local at=2\n"
      "  while (( at < COMP_CWORD )); do\n"
      "    case ${{COMP_WORDS[at]}} in\n"
      "      --) echo $((at + 1)); return ;;\n"
      "      {}) at=$((at + 2)) ;;\n"
      "      -*) at=$((at + 1)) ;;\n"
      "      *) echo $at; return ;;\n"
      "    esac\n"
      "  done\n"
      "  [[ ${{COMP_WORDS[COMP_CWORD]}} == -* ]] || (( at > COMP_CWORD )) || echo $COMP_CWORD\n"
      "}}\n\n",
      fmt::join(with_value, "|"));
}

constexpr const char* kBegin =
    "# Completion of heaptally for bash, made by `heaptally completion bash`.\n\n"
    "_heaptally_files() {\n"
    "  compopt -o filenames\n"
    "  mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
    "}\n\n"
    "# Captures and folders that lead to them, and the pids of what is profiled.\n"
    "_heaptally_captures_and_pids() {\n"
    "  compopt -o filenames\n"
    "  mapfile -t COMPREPLY < <(compgen -f -X '!*.heaptally' -- \"$current\"; compgen -d -- \"$current\"\n"
    "    compgen -W \"$(heaptally ls 2>/dev/null | awk '$1 + 0 > 0 {print $1}')\" -- \"$current\")\n"
    "}\n\n";

}  // namespace

std::string BashCompletion(const std::vector<CommandDescription>& commands) {
  std::string out = kBegin;
  std::vector<std::string> names;
  std::string cases;
  for (const CommandDescription& command : commands) {
    names.push_back(command.name);
    if (command.name == "run") out += RunPart(command);
    cases += CommandCase(command);
  }
  out += fmt::format(
      "_heaptally() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} program\n"
      "  COMPREPLY=()\n"
      "  if (( COMP_CWORD == 1 )); then\n"
      "    mapfile -t COMPREPLY < <(compgen -W '{} --help --version' -- \"$current\"); return\n"
      "  fi\n"
      "  if [[ ${{COMP_WORDS[1]}} == run ]]; then\n"
      "    program=$(_heaptally_program_at)\n"
      "    if [[ -n $program ]]; then\n"
      "      if declare -F _command_offset >/dev/null; then _command_offset \"$program\"\n"
      "      elif (( program == COMP_CWORD )); then mapfile -t COMPREPLY < <(compgen -c -- \"$current\"); compopt -o filenames\n"
      "      else _heaptally_files; fi\n"
      "      return\n"
      "    fi\n"
      "  fi\n"
      "  case ${{COMP_WORDS[1]}} in\n{}  esac\n"
      "}}\n"
      "complete -F _heaptally heaptally\n",
      Joined(names), cases);
  return out;
}

}  // namespace heaptally::cli
