#include "exporters/frame_table.h"

#include <algorithm>

namespace heaptally::exporters {
namespace {

using analysis::StackFrame;

// The same choice as analysis::PlaceFrame makes.
TableFrame PlaceOf(const std::vector<TableFrame>& root_first, size_t words_in_front) {
  const auto innermost = root_first.rbegin(), end = root_first.rend() - static_cast<std::ptrdiff_t>(words_in_front);
  if (innermost == end) return root_first.back();
  auto place = std::find_if(innermost, end, [](const TableFrame& frame) { return !frame.plumbing; });
  if (place == end) place = std::find_if(innermost, end, [](const TableFrame& frame) { return !frame.allocator; });
  return place == end ? *(end - 1) : *place;
}

}  // namespace

uint32_t FunctionTable::Number(const CallFunction& function) {
  const auto [at, is_new] =
      numbers_.emplace(std::array{function.short_name, function.whole_name, function.file, function.module},
                       static_cast<uint32_t>(functions_.size()));
  if (is_new) functions_.push_back(function);
  return at->second;
}

TableFrame FunctionTable::Add(const StackFrame& frame) {
  std::string raw = frame.function + '\n' + frame.file + '\n' + frame.module;
  if (frame.function.empty()) raw += '\n' + std::to_string(frame.address);
  auto seen = seen_.find(raw);
  if (seen == seen_.end()) {
    const bool plumbing = wording_.taste.is_plumbing(frame);
    const uint32_t number = Number({.short_name = strings_.Index(wording_.short_name(frame)),
                                    .whole_name = strings_.Index(wording_.whole_name(frame)),
                                    .file = strings_.Index(frame.file),
                                    .module = strings_.Index(frame.module),
                                    .plumbing = plumbing});
    seen = seen_.emplace(std::move(raw), TableFrame{number, 0, wording_.taste.is_allocator(frame), plumbing}).first;
  }
  TableFrame out = seen->second;
  out.line = frame.line;
  return out;
}

TableFrame FunctionTable::Words(const std::string& words) {
  const uint32_t text = strings_.Index(words), none = strings_.Index("");
  return {.function = Number({text, text, none, none, false, true}), .line = 0, .allocator = false, .plumbing = false};
}

FrameTable::FrameTable(const profile::Profile& profile, FunctionTable* functions) : functions_(*functions) {
  profile::Site one;
  one.frames.resize(1);
  begin_.reserve(profile.frames.size() + 1);
  begin_.push_back(0);
  for (uint32_t frame = 0; frame < profile.frames.size(); ++frame) {
    one.frames[0] = frame;
    for (const StackFrame& source : analysis::SourceStack(profile, one)) sources_.push_back(functions_.Add(source));
    begin_.push_back(static_cast<uint32_t>(sources_.size()));
  }
}

void FrameTable::Stack(const profile::Site& site, bool allocator_frames, std::vector<TableFrame>* root_first,
                       TableFrame* place) {
  std::vector<TableFrame>& stack = *root_first;
  stack.clear();
  for (const uint32_t frame : site.frames) {
    if (frame + 1 >= begin_.size()) continue;
    stack.insert(stack.end(), sources_.begin() + begin_[frame], sources_.begin() + begin_[frame + 1]);
  }
  if (stack.empty()) {
    stack.push_back(*place = functions_.Words(WhyNoStack(site)));
    return;
  }
  if (!allocator_frames) {
    const auto first = std::find_if_not(stack.begin(), stack.end(), [](const TableFrame& f) { return f.allocator; });
    if (first != stack.end()) stack.erase(stack.begin(), first);
  }
  if (site.truncated) stack.push_back(functions_.Words(kCallersNotKnown));
  std::reverse(stack.begin(), stack.end());
  *place = PlaceOf(stack, site.truncated ? 1 : 0);
}

}  // namespace heaptally::exporters
