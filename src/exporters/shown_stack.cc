#include "exporters/shown_stack.h"

#include <algorithm>

namespace heaptally::exporters {
namespace {

using analysis::StackFrame;

StackFrame InWords(const std::string& words) {
  StackFrame frame;
  frame.function = words;
  return frame;
}

}  // namespace

std::string WhyNoStack(const profile::Site& site) {
  if (site.other) return "[other: no room to book it where it belongs]";
  return site.truncated_why.empty() ? "[no stack]" : "[no stack: " + site.truncated_why + "]";
}

FrameChoice::FrameChoice(const profile::Profile& profile, const Wording& wording)
    : profile_(profile),
      wording_(wording),
      plumbing_(profile.frames.size(), kNotAsked),
      allocators_(profile.frames.size(), kNotAsked) {}

uint32_t FrameChoice::LeadingFrames(uint32_t frame, const Taste& taste, Counts* known) const {
  uint32_t& count = (*known)[frame];
  if (count == kNotAsked) {
    const std::vector<StackFrame> sources = analysis::SourceFramesOf(profile_, frame);
    const auto first = std::find_if_not(sources.begin(), sources.end(), taste);
    count = first == sources.end() ? kAll : static_cast<uint32_t>(first - sources.begin());
  }
  return count;
}

std::vector<ShownFrame> FrameChoice::Without(const Taste& taste, const profile::Site& site, Counts* known) const {
  std::vector<ShownFrame> out;
  for (const uint32_t frame : site.frames) {
    if (frame >= profile_.frames.size()) continue;
    const uint32_t first = out.empty() && taste ? LeadingFrames(frame, taste, known) : 0;
    if (first != kAll) out.push_back({frame, first});
  }
  return out;
}

std::vector<ShownFrame> FrameChoice::Of(const profile::Site& site) {
  std::vector<ShownFrame> out;
  if (wording_.end_at_places) out = Without(wording_.taste.is_plumbing, site, &plumbing_);
  if (out.empty() && !wording_.allocator_frames) out = Without(wording_.taste.is_allocator, site, &allocators_);
  return out.empty() ? Without(nullptr, site, nullptr) : out;
}

std::vector<StackFrame> ShownStack(const profile::Profile& profile, const profile::Site& site, const Wording& wording) {
  std::vector<StackFrame> stack = analysis::SourceStack(profile, site);
  if (stack.empty()) return {InWords(WhyNoStack(site))};
  auto first = stack.end();
  if (wording.end_at_places) first = std::find_if_not(stack.begin(), stack.end(), wording.taste.is_plumbing);
  if (first == stack.end() && !wording.allocator_frames) {
    first = std::find_if_not(stack.begin(), stack.end(), wording.taste.is_allocator);
  }
  if (first != stack.end()) stack.erase(stack.begin(), first);
  if (site.truncated) stack.push_back(InWords(kCallersNotKnown));
  std::reverse(stack.begin(), stack.end());
  return stack;
}

}  // namespace heaptally::exporters
