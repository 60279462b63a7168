#include "analysis/stack_filter.h"

#include <re2/re2.h>

#include <algorithm>

#include "analysis/source_stack.h"

namespace heaptally::analysis {
namespace {

// Where the bracket stands that has no partner; npos if all have one. Escapes and classes are stepped over.
size_t LonelyBracket(const std::string& text) {
  std::vector<size_t> open;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '[') {
      const size_t close = text.find(']', at + 2);
      if (close == std::string::npos) return at;
      at = close;
    } else if (text[at] == '(') {
      open.push_back(at);
    } else if (text[at] == ')') {
      if (open.empty()) return at;
      open.pop_back();
    }
  }
  return open.empty() ? std::string::npos : open.back();
}

// "missing ): at character 5".
std::string Fault(const re2::RE2& expression) {
  const std::string& text = expression.pattern();
  std::string fault = expression.error();
  fault.resize(std::min(fault.find(": "), fault.size()));
  size_t at = expression.error_arg() == text ? LonelyBracket(text) : text.find(expression.error_arg());
  if (expression.error_code() == re2::RE2::ErrorTrailingBackslash) at = text.size() - 1;
  if (at == std::string::npos) return fault;
  return fault + ", at character " + std::to_string(at + 1) + " (" + text.substr(at) + ")";
}

bool Compile(const std::string& text, const char* name, std::unique_ptr<re2::RE2>* out, std::string* error) {
  if (text.empty()) return true;
  re2::RE2::Options options;
  options.set_log_errors(false);
  *out = std::make_unique<re2::RE2>(text, options);
  if ((*out)->ok()) return true;
  *error = std::string(name) + " \"" + text + "\" is no regular expression: " + Fault(**out);
  return false;
}

bool Matches(const std::unique_ptr<re2::RE2>& expression, const std::string& text) {
  return !text.empty() && re2::RE2::PartialMatch(text, *expression);
}

}  // namespace

// Of each machine frame: whether one of its source frames matches; and which of them are hidden.
struct StackFilter::FrameMarks {
  std::vector<bool> focus, ignore;
  std::vector<std::vector<bool>> hide;
};

StackFilter::StackFilter() = default;
StackFilter::StackFilter(StackFilter&&) noexcept = default;
StackFilter& StackFilter::operator=(StackFilter&&) noexcept = default;
StackFilter::~StackFilter() = default;

std::optional<StackFilter> StackFilter::Make(const FilterWords& words, ShortName short_name, std::string* error) {
  StackFilter filter;
  filter.short_name_ = std::move(short_name);
  if (!Compile(words.focus, "--focus", &filter.focus_, error)) return std::nullopt;
  if (!Compile(words.ignore, "--ignore", &filter.ignore_, error)) return std::nullopt;
  if (!Compile(words.hide, "--hide", &filter.hide_, error)) return std::nullopt;
  return filter;
}

StackFilter::FrameMarks StackFilter::Mark(const profile::Profile& profile) const {
  FrameMarks marks;
  for (uint32_t index = 0; index < profile.frames.size(); ++index) {
    bool focus = false, ignore = false;
    std::vector<bool> hide;
    for (const StackFrame& frame : SourceFramesOf(profile, index)) {
      const std::string name = NameOf(frame), shown = short_name_(frame.function);
      const auto matches = [&](const std::unique_ptr<re2::RE2>& expression) {
        return expression && (Matches(expression, name) || Matches(expression, shown) ||
                              Matches(expression, frame.file) || Matches(expression, frame.module));
      };
      focus = focus || matches(focus_);
      ignore = ignore || matches(ignore_);
      hide.push_back(matches(hide_));
    }
    marks.focus.push_back(focus);
    marks.ignore.push_back(ignore);
    marks.hide.push_back(std::move(hide));
  }
  return marks;
}

// Source frames leave the table of names; a machine frame that has none left leaves its stacks.
void StackFilter::Hide(const FrameMarks& marks, profile::Profile* profile) const {
  std::vector<bool> gone(profile->frames.size());
  for (size_t index = 0; index < profile->frames.size(); ++index) {
    const std::vector<bool>& hide = marks.hide[index];
    gone[index] = std::find(hide.begin(), hide.end(), false) == hide.end();
    if (gone[index] || index >= profile->sources.size()) continue;
    std::vector<profile::SourceFrame> left;
    for (size_t at = 0; at < profile->sources[index].size(); ++at) {
      if (!hide[at]) left.push_back(std::move(profile->sources[index][at]));
    }
    profile->sources[index] = std::move(left);
  }
  for (profile::Site& site : profile->sites) {
    if (site.frames.empty()) continue;
    std::erase_if(site.frames, [&](uint32_t frame) { return frame < gone.size() && gone[frame]; });
    if (site.frames.empty()) site.truncated_why = "all of its frames are hidden";
  }
}

void StackFilter::Apply(profile::Profile* profile) const {
  const FrameMarks marks = Mark(*profile);
  std::erase_if(profile->sites, [&](const profile::Site& site) {
    const auto any = [&](const std::vector<bool>& marked) {
      return std::any_of(site.frames.begin(), site.frames.end(),
                         [&](uint32_t frame) { return frame < marked.size() && marked[frame]; });
    };
    return (focus_ && !any(marks.focus)) || (ignore_ && any(marks.ignore));
  });
  if (hide_) Hide(marks, profile);
  // These are of the process as a whole, and of no part of it.
  if (focus_ || ignore_) {
    profile->totals.peak_whole = {};
    profile->totals.peak_most_proven = 0;
  }
  profile::SumTotals(profile);
}

}  // namespace heaptally::analysis
