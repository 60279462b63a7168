// The screen at the end of a run: which lines hold the memory, how sure that is, what is missing, what to type next.
#pragma once

#include <string>
#include <vector>

#include "cli/run_facts.h"
#include "cli/units.h"
#include "profile/profile.h"

namespace heaptally::cli {

struct Screen {
  size_t width = 80;
  size_t rows = 24;  // 0: not a terminal, as long as is useful
};

// `profiles`: every image of the run, at least one. One image gives its own summary, several a summary by program and
// the largest processes.
std::string RenderSummary(const RunFacts& facts, const std::vector<profile::Profile>& profiles, const Screen& screen);

// "live at exit", "live now", "live at exec": what the live numbers of a profile are of.
std::string LiveWords(const profile::Profile& profile);

// " at 7.10 s": when the peak was, and how far off it may be; "" if not known.
std::string PeakWords(const profile::Profile& profile, NumberStyle style = {});

// "exit status 0", "killed by SIGKILL", "running".
std::string StateWords(const profile::Profile& profile);

// What is known to be missing beside what the profiles themselves say.
struct UnseenBeside {
  std::vector<std::string> programs;  // "tool (pid 4711), statically linked"
  bool noted = false;                 // a note that stands above says that something was not seen
};

// Whether a note is about something that is not in the numbers.
bool SaysUnseen(const std::string& note);

// Everything that is not in the numbers, as a list of half sentences; "nothing lost" if that is so.
std::vector<std::string> NotSeen(const std::vector<const profile::Profile*>& profiles, const UnseenBeside& beside = {},
                                 NumberStyle style = {});

// The same as lines, tinted if something was lost or not seen.
std::string NotSeenLines(const std::vector<const profile::Profile*>& profiles, size_t width,
                         const UnseenBeside& beside = {}, NumberStyle style = {});

// "killed by SIGKILL".
std::string KilledBy(int signal);

// Lines with the notes of the profiles, each once; of several images it is said how many a note is about.
std::string ProfileNotes(const std::vector<const profile::Profile*>& profiles, size_t width);

// "every allocation counted", "sampled every 512 KiB".
std::string ModeWords(const profile::Profile& profile, NumberStyle style = {});

// The three lines of totals of one image.
std::string RenderTotals(const profile::Profile& profile, size_t width, NumberStyle style = {});

}  // namespace heaptally::cli
