// How the tool speaks when something is wrong: what happened and why, then what works. On stderr, never more than that,
// and wrapped to the terminal.
#pragma once

#include <string>

namespace heaptally::cli {

inline constexpr int kOurFailure = 125;  // as env, timeout and nohup have it
inline constexpr int kCannotRun = 126;
inline constexpr int kNotFound = 127;

// "heaptally: <what happened, why>" and, if given, "  What works: <...>". Returns kOurFailure.
int Complain(const std::string& what_and_why, const std::string& what_works = "");

// Something that people must know although the command goes on.
void Remark(const std::string& sentence);

}  // namespace heaptally::cli
