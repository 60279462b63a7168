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
    : profile_(profile), wording_(wording), at_leaf_(profile.frames.size(), kNotAsked) {}

uint32_t FrameChoice::AllocatorFramesAtLeaf(uint32_t frame) {
  if (at_leaf_[frame] == kNotAsked) {
    const std::vector<StackFrame> sources = analysis::SourceFramesOf(profile_, frame);
    const auto first = std::find_if_not(sources.begin(), sources.end(), wording_.taste.is_allocator);
    at_leaf_[frame] = first == sources.end() ? kAll : static_cast<uint32_t>(first - sources.begin());
  }
  return at_leaf_[frame];
}

std::vector<ShownFrame> FrameChoice::Of(const profile::Site& site) {
  std::vector<ShownFrame> all, shown;
  for (const uint32_t frame : site.frames) {
    if (frame >= profile_.frames.size()) continue;
    all.push_back({frame, 0});
    if (wording_.allocator_frames) continue;
    if (!shown.empty()) {
      shown.push_back({frame, 0});
    } else if (const uint32_t first = AllocatorFramesAtLeaf(frame); first != kAll) {
      shown.push_back({frame, first});
    }
  }
  return shown.empty() ? all : shown;
}

std::vector<StackFrame> ShownStack(const profile::Profile& profile, const profile::Site& site, const Wording& wording) {
  std::vector<StackFrame> stack = analysis::SourceStack(profile, site);
  if (stack.empty()) return {InWords(WhyNoStack(site))};
  if (!wording.allocator_frames) {
    const auto first = std::find_if_not(stack.begin(), stack.end(), wording.taste.is_allocator);
    if (first != stack.end()) stack.erase(stack.begin(), first);
  }
  if (site.truncated) stack.push_back(InWords(kCallersNotKnown));
  std::reverse(stack.begin(), stack.end());
  return stack;
}

}  // namespace heaptally::exporters
