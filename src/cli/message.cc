#include "cli/message.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "cli/text.h"

namespace heaptally::cli {
namespace {

// One write, so that the lines of two processes on one terminal do not mix. A log gets whole lines, for grep.
void Say(const std::string& lead, const std::string& sentence) {
  const size_t width = isatty(STDERR_FILENO) == 1 ? std::min<size_t>(TerminalWidth(STDERR_FILENO), 120) : SIZE_MAX;
  std::fputs((Wrap(lead + Printable(sentence), width, lead[0] == ' ' ? 6 : 2) + "\n").c_str(), stderr);
}

}  // namespace

int Complain(const std::string& what_and_why, const std::string& what_works) {
  // "heaptally run: ..." is not said twice over.
  constexpr std::string_view kTool = "heaptally ";
  Say("heaptally: ", what_and_why.starts_with(kTool) ? what_and_why.substr(kTool.size()) : what_and_why);
  if (!what_works.empty()) Say("  What works: ", what_works);
  return kOurFailure;
}

void Remark(const std::string& sentence) { Say("heaptally: ", sentence); }

}  // namespace heaptally::cli
