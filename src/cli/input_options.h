// What every command that looks at profiles is told in the same words: which captures or processes, which of their
// stacks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/ranking.h"
#include "analysis/stack_filter.h"
#include "analysis/suppressions.h"
#include "profile/profile.h"

namespace CLI {
class App;
}

namespace heaptally::cli {

enum class Inputs { kOne, kMany };

struct InputOptions {
  std::vector<std::string> what;  // captures, segments, pids
  std::string directory;          // of living processes' tallies
  std::string at;                 // a moment of the captures; "": the last
  analysis::FilterWords stacks;
  std::string suppressions;  // a file; "": none
  uint32_t pid = 0;          // 0: of any
  std::string program;       // "": any
};

void AddInputOptions(CLI::App* app, Inputs inputs, InputOptions* options);

// The part of them that says which processes and stacks.
void AddChoiceOptions(CLI::App* app, InputOptions* options);

// Parses; `to_do` ends the complaint where nothing is named ("draw"). Returns -1 to go on, else the exit status.
int ParseWithInput(CLI::App* app, const std::vector<std::string>& arguments, const InputOptions& options,
                   const char* to_do);

struct Input {
  std::vector<profile::Profile> profiles;
  // What --focus and the like have left out is told from these.
  std::string narrowed;      // "focus json, hide std::"; "" if nothing was asked for
  bool leaves_out = false;   // stacks, not only frames
  profile::Measures before;  // of all profiles together, of all their stacks that were not suppressed
  std::vector<analysis::Suppressed> suppressed;  // one for each pattern of the file
};

// Loads, and keeps what was asked for. Nothing after a complaint.
std::optional<Input> LoadInput(const InputOptions& options);

// Says on stderr what an export is not of: NarrowedWords, and what was suppressed.
void RemarkNarrowed(const Input& input, analysis::By by);

// "focus json: 62 % of live bytes"; "" if nothing was left out.
std::string NarrowedWords(const Input& input, analysis::By by);

}  // namespace heaptally::cli
