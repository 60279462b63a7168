#include "analysis/suppressions.h"

#include <algorithm>

#include "analysis/source_stack.h"

namespace heaptally::analysis {
namespace {

std::string_view Trimmed(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

// What is wrong with a line that is neither empty nor a comment; "" if it is right.
std::string Fault(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return "\"" + std::string(line) + "\" has no colon";
  if (line.substr(0, colon) != "leak") return "there is no kind \"" + std::string(line.substr(0, colon)) + "\", only leak";
  const bool empty = line.substr(colon + 1).find_first_not_of("^$") == std::string_view::npos;
  return empty ? "the pattern is empty" : "";
}

constexpr size_t kNone = SIZE_MAX;

// Of each machine frame: the first pattern that one of its source frames matches.
std::vector<size_t> MarkFrames(const std::function<std::string(const std::string&)>& short_name,
                               const std::vector<Suppressed>& list, const profile::Profile& profile) {
  std::vector<size_t> marks;
  for (uint32_t index = 0; index < profile.frames.size(); ++index) {
    size_t first = kNone;
    for (const StackFrame& frame : SourceFramesOf(profile, index)) {
      const std::string shown = short_name(frame.function);
      for (size_t at = 0; at < std::min(first, list.size()); ++at) {
        const std::string& pattern = list[at].pattern;
        if (MatchesSuppression(pattern, frame.function) || MatchesSuppression(pattern, shown) ||
            MatchesSuppression(pattern, frame.file) || MatchesSuppression(pattern, frame.module))
          first = at;
      }
    }
    marks.push_back(first);
  }
  return marks;
}

}  // namespace

std::optional<std::vector<Suppressed>> ParseSuppressions(std::string_view text, const std::string& file,
                                                         std::string* error) {
  std::vector<Suppressed> out;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    const std::string_view line = Trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line[0] == '#') continue;
    if (const std::string fault = Fault(line); !fault.empty()) {
      *error = file + ":" + std::to_string(number) + ": " + fault;
      return std::nullopt;
    }
    out.push_back({.pattern = std::string(line.substr(line.find(':') + 1))});
  }
  return out;
}

bool MatchesSuppression(std::string_view pattern, std::string_view text) {
  const bool from_begin = pattern.starts_with('^'), to_end = pattern.ends_with('$');
  if (text.empty()) return false;
  if (from_begin) pattern.remove_prefix(1);
  if (to_end && !pattern.empty()) pattern.remove_suffix(1);
  size_t at = 0;
  for (bool first = true;; first = false) {
    const size_t star = pattern.find('*');
    const std::string_view part = pattern.substr(0, star);
    const bool last = star == std::string_view::npos;
    if (last && to_end) {
      const bool fits = text.size() >= at + part.size() && text.ends_with(part);
      return fits && (!(first && from_begin) || text.size() == part.size());
    }
    const size_t found = first && from_begin ? (text.starts_with(part) ? 0 : std::string_view::npos) : text.find(part, at);
    if (found == std::string_view::npos) return false;
    if (last) return true;
    at = found + part.size();
    pattern.remove_prefix(star + 1);
  }
}

void Suppress(const std::function<std::string(const std::string&)>& short_name, std::vector<Suppressed>* list,
              profile::Profile* profile) {
  const std::vector<size_t> marks = MarkFrames(short_name, *list, *profile);
  const size_t taken = std::erase_if(profile->sites, [&](const profile::Site& site) {
    size_t first = kNone;
    for (const uint32_t frame : site.frames) first = std::min(first, frame < marks.size() ? marks[frame] : kNone);
    if (first == kNone) return false;
    if (site.memory_class != "mapped") (*list)[first].sum += site.measures;
    ++(*list)[first].stacks;
    return true;
  });
  if (taken == 0) return;
  profile->totals.peak_whole = {};  // of the process as a whole, and of no part of it
  profile->totals.peak_most_proven = 0;
  profile::SumTotals(profile);
}

}  // namespace heaptally::analysis
