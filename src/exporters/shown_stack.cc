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

std::string WhyNoStack(const profile::Site& site) {
  if (site.other) return "[other: no room to book it where it belongs]";
  return site.truncated_why.empty() ? "[no stack]" : "[no stack: " + site.truncated_why + "]";
}

}  // namespace

std::vector<StackFrame> ShownStack(const profile::Profile& profile, const profile::Site& site, const Wording& wording) {
  std::vector<StackFrame> stack = analysis::SourceStack(profile, site);
  if (stack.empty()) return {InWords(WhyNoStack(site))};
  if (!wording.allocator_frames) {
    const auto first = std::find_if_not(stack.begin(), stack.end(), wording.taste.is_allocator);
    if (first != stack.end()) stack.erase(stack.begin(), first);
  }
  // What called the outermost frame is not known, so that it must not look like a root.
  if (site.truncated) stack.push_back(InWords("[callers not known: stack was cut]"));
  std::reverse(stack.begin(), stack.end());
  return stack;
}

}  // namespace heaptally::exporters
