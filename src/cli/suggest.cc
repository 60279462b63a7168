#include "cli/suggest.h"

#include <algorithm>
#include <string_view>

namespace heaptally::cli {

// Optimal string alignment distance, three rows at a time.
size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

namespace {

struct Meant {
  std::string_view word;
  std::string_view ours;
};

constexpr Meant kMeasures[] = {{"leak", "live"},      {"leaks", "live"},           {"leaked", "live"},
                               {"inuse", "live"},     {"in-use", "live"},          {"in_use", "live"},
                               {"held", "live"},      {"current", "live"},         {"size", "live"},
                               {"max", "peak"},       {"highest", "peak"},         {"high-water", "peak"},
                               {"bytes", "churn"},    {"total", "churn"},          {"allocated", "churn"},
                               {"alloc", "churn"},    {"count", "calls"},          {"allocations", "calls"},
                               {"allocs", "calls"},   {"objects", "calls"},        {"rate", "calls"},
                               {"temp", "temporary"}, {"short-lived", "temporary"}};

constexpr Meant kCommands[] = {
    {"record", "run"},     {"profile", "run"},    {"start", "run"},         {"exec", "run"},
    {"trace", "run"},      {"launch", "run"},     {"list", "ls"},           {"ps", "ls"},
    {"status", "ls"},      {"show", "report"},    {"view", "report"},       {"print", "report"},
    {"analyze", "report"}, {"analyse", "report"}, {"top", "report"},        {"info", "report"},
    {"script", "export"},  {"dump", "export"},    {"folded", "export"},     {"flamegraph", "flame"},
    {"graph", "flame"},    {"man", "help"},       {"-help", "help"},        {"version", "--version"},
    {"-v", "--version"},   {"-V", "--version"},   {"-version", "--version"}};

template <size_t kCount>
std::string Find(const std::string& word, const Meant (&table)[kCount]) {
  for (const Meant& meant : table) {
    if (meant.word == word) return std::string(meant.ours);
  }
  return "";
}

}  // namespace

std::string MeantMeasure(const std::string& word) { return Find(word, kMeasures); }
std::string MeantCommand(const std::string& word) { return Find(word, kCommands); }

std::string Nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  size_t best_distance = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const bool begins = word.size() >= 2 && candidate.starts_with(word);
    const size_t distance = begins ? 0 : EditDistance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace heaptally::cli
