#include "analysis/frame_table.h"

namespace heaptally::analysis {
namespace {

constexpr char kEnd = '\0';  // of a part of a key

std::string FunctionKey(const StackFrame& frame) {
  std::string key = frame.function + kEnd + frame.module + kEnd + frame.file + kEnd + frame.words;
  if (frame.function.empty()) key += kEnd + std::to_string(frame.address);
  return key;
}

std::string WhyNoStack(const profile::Site& site) {
  if (site.other) return "other (no room to book it where it belongs)";
  return site.truncated_why.empty() ? "no stack" : "no stack: " + site.truncated_why;
}

}  // namespace

FrameTable::FrameTable(const std::vector<const profile::Profile*>& profiles, const FrameTaste& taste) : taste_(taste) {
  for (const profile::Profile* profile : profiles) {
    std::vector<Range>& ranges = machine_.emplace_back();
    ranges.reserve(profile->frames.size());
    for (uint32_t index = 0; index < profile->frames.size(); ++index) {
      Range range = {.first = static_cast<uint32_t>(unfolded_.size())};
      for (StackFrame& frame : SourceFramesOf(*profile, index)) unfolded_.push_back(Intern(std::move(frame)));
      range.count = static_cast<uint32_t>(unfolded_.size()) - range.first;
      ranges.push_back(range);
    }
  }
}

uint32_t FrameTable::Intern(StackFrame frame) {
  std::string function_key = FunctionKey(frame);
  const auto [at, is_new] =
      seen_.try_emplace(function_key + kEnd + std::to_string(frame.line), static_cast<uint32_t>(frames_.size()));
  if (!is_new) return at->second;
  const auto [function, is_new_function] =
      seen_functions_.try_emplace(std::move(function_key), static_cast<uint32_t>(functions_.size()));
  if (is_new_function) functions_.push_back({.frame = at->second});
  functions_of_.push_back(function->second);
  frames_.push_back(std::move(frame));
  return at->second;
}

uint32_t FrameTable::InWords(const std::string& words) {
  StackFrame frame;
  frame.words = words;
  return Intern(std::move(frame));
}

void FrameTable::Stack(size_t profile, const profile::Site& site, std::vector<uint32_t>* out) {
  out->clear();
  const std::vector<Range>& ranges = machine_[profile];
  for (const uint32_t index : site.frames) {
    if (index >= ranges.size()) continue;
    const auto first = unfolded_.begin() + ranges[index].first;
    out->insert(out->end(), first, first + ranges[index].count);
  }
  if (out->empty()) out->push_back(InWords(WhyNoStack(site)));
  // What called the outermost frame is not known, so that it must not look like a root.
  else if (site.truncated) out->push_back(InWords("callers not known: the stack was cut"));
}

bool FrameTable::Ask(Answer Function::*answer, const std::function<bool(const StackFrame&)>& ask,
                     uint32_t frame) const {
  if (!frames_[frame].words.empty()) return false;
  Function& function = functions_[functions_of_[frame]];
  if (function.*answer == Answer::kNotAsked) function.*answer = ask(frames_[frame]) ? Answer::kYes : Answer::kNo;
  return function.*answer == Answer::kYes;
}

size_t FrameTable::PlaceAt(std::span<const uint32_t> stack) const {
  const size_t end = stack.size() > 1 && !frames_[stack.back()].words.empty() ? stack.size() - 1 : stack.size();
  for (size_t at = 0; at < end; ++at) {
    if (!IsPlumbing(stack[at])) return at;
  }
  for (size_t at = 0; at < end; ++at) {
    if (!IsAllocator(stack[at])) return at;
  }
  return end - 1;
}

}  // namespace heaptally::analysis
