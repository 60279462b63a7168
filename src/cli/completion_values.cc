#include "cli/completion_values.h"

#include <algorithm>
#include <cctype>

namespace heaptally::cli {
namespace {

// An option that takes one of a few words names them at the start of its description: "live, peak or churn: ...", each
// with an explanation in brackets if it needs one. Reads them, up to the first word that is no part of such a list.
std::vector<std::string> ListedWords(const std::string& text) {
  std::vector<std::string> words;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = at;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '-')) ++end;
    if (end == at) break;
    const std::string word = text.substr(at, end - at);
    at = end;
    while (at < text.size() && text[at] == ' ') ++at;
    if (at < text.size() && text[at] == '(') {
      const size_t close = text.find(')', at);
      if (close == std::string::npos) return {};
      at = close + 1;
    }
    words.push_back(word);
    const bool comma = text.compare(at, 2, ", ") == 0;
    size_t last = at;
    while (last < text.size() && text[last] == ' ') ++last;
    if (text.compare(last, 3, "or ") == 0) {
      at = last + 3;
    } else if (comma) {
      at += 2;
    } else {
      break;
    }
  }
  return words.size() > 1 ? words : std::vector<std::string>();
}

}  // namespace

Values ValuesOf(const CommandDescription&, const OptionDescription& option) {
  if (option.value.empty()) return {};
  if (option.value.find("FILE") != std::string::npos) return {ValueKind::kFile, {}};
  if (option.value == "DIR") return {ValueKind::kDirectory, {}};
  std::vector<std::string> words = ListedWords(option.text);
  if (words.empty()) return {ValueKind::kAnything, {}};
  return {ValueKind::kOneOf, std::move(words)};
}

WordKind WordsOf(const CommandDescription& command) {
  if (command.name == "run") return WordKind::kProgram;
  if (command.name == "help") return WordKind::kTopics;
  if (command.name == "completion") return WordKind::kShells;
  if (command.name == "man") return WordKind::kNothing;
  return WordKind::kCapturesAndPids;
}

const std::string& LongestName(const OptionDescription& option) {
  return *std::max_element(option.names.begin(), option.names.end(),
                           [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
}

}  // namespace heaptally::cli
