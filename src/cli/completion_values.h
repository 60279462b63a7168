// What can stand behind an option, for completions.
#pragma once

#include <string>
#include <vector>

#include "cli/command_description.h"

namespace heaptally::cli {

enum class ValueKind { kNone, kAnything, kFile, kDirectory, kOneOf };

struct Values {
  ValueKind kind = ValueKind::kNone;
  std::vector<std::string> choices;  // kOneOf
};

Values ValuesOf(const CommandDescription& command, const OptionDescription& option);

// What the subcommand's own words are: captures and pids, a program, topics of help, names of shells.
enum class WordKind { kCapturesAndPids, kProgram, kTopics, kShells, kNothing };
WordKind WordsOf(const CommandDescription& command);

// The option's longest name: "--output" rather than "-o".
const std::string& LongestName(const OptionDescription& option);

}  // namespace heaptally::cli
