// A place is the line of the user's own code that people look for: all sites (whole stacks) whose innermost frame
// outside of plumbing (frame_taste.h) is that line.
//
// A place sums its sites, over several processes too: sums first, one interval then. Where the whole stack is plumbing
// (a library's constructor, say), the innermost frame that is no allocator's is taken, and without any frame the place
// is unnamed and says why.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/frame_taste.h"
#include "analysis/ranking.h"
#include "analysis/source_stack.h"
#include "profile/profile.h"

namespace heaptally::analysis {

struct PlaceSite {
  const profile::Profile* profile = nullptr;
  const profile::Site* site = nullptr;
};

struct Place {
  StackFrame frame;
  bool has_frame = false;  // false: `unnamed` says what stands here
  std::string unnamed;
  StackFrame caller;  // of the largest site; the next frame that is not plumbing
  bool has_caller = false;
  size_t callers = 0;            // distinct ones
  std::vector<PlaceSite> sites;  // largest first
  profile::Measures sum;
  std::optional<uint64_t> oldest_ns;
  bool truncated = false;  // at least one of its stacks is cut
};

// Places of all sites of `profiles` that are of class `memory_class`, ordered by the lower end of what `by` says, largest
// first; those with nothing at all in it are left out. The profiles must outlive the result.
std::vector<Place> RankPlaces(const std::vector<const profile::Profile*>& profiles, By by, const FrameTaste& taste,
                              std::string_view memory_class = "malloc");

// Position in `stack` of the frame that names the place; stack.size() if it is empty.
size_t PlaceFrame(const std::vector<StackFrame>& stack, const FrameTaste& taste);

}  // namespace heaptally::analysis
