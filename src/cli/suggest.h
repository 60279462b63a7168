// The nearest name for a mistyped subcommand, option or value.
#pragma once

#include <string>
#include <vector>

namespace heaptally::cli {

// Edits (insert, delete, replace, swap of neighbours) between two words.
size_t EditDistance(const std::string& a, const std::string& b);

// The candidate closest to `word`, or "" if none is close enough to be what was meant: at most one edit for every three
// letters, at least one; a candidate that `word` begins is always close. Ties go to the earlier one.
std::string Nearest(const std::string& word, const std::vector<std::string>& candidates);

// The nearest by what other tools call it: for what can be ranked by ("leak" is live), and for commands ("record" is
// run); "" if the word is none of theirs.
std::string MeantMeasure(const std::string& word);
std::string MeantCommand(const std::string& word);

}  // namespace heaptally::cli
