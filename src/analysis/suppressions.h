// Suppressions in LeakSanitizer's syntax, so that the files that projects keep for it work here:
//
//   # a comment
//   leak:Cache::warm_up
//   leak:^libfoo.so*
//
// A pattern is held against the functions (as the debug information has them, and as reports show them), source files
// and modules of a stack. It matches anywhere in them; `^` at its begin and `$` at its end hold it to the text's, `*`
// matches any text. The first pattern of the file that matches a stack gets it. What is suppressed is summed, never
// dropped unseen.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace heaptally::analysis {

struct Suppressed {
  std::string pattern;
  profile::Measures sum;
  size_t stacks = 0;
};

// Patterns of a file's text, in its order. Nothing and a sentence in *error, with `file` and the line, if a line is
// none.
std::optional<std::vector<Suppressed>> ParseSuppressions(std::string_view text, const std::string& file,
                                                         std::string* error);

bool MatchesSuppression(std::string_view pattern, std::string_view text);

// Takes the sites that match out of the profile, sums its totals anew, and adds what was taken to `list`.
void Suppress(const std::function<std::string(const std::string&)>& short_name, std::vector<Suppressed>* list,
              profile::Profile* profile);

}  // namespace heaptally::analysis
