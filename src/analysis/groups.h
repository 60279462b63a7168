// Sites summed by function, by module or by thread.
//
// `self` is of the stacks whose place (places.h) is in the group: every stack is in exactly one, so that selves add up
// to the whole. `total` is of all stacks with a frame in the group, each once, however often a function recurs; totals
// overlap, and a thread has none but its self.
#pragma once

#include <string>
#include <vector>

#include "analysis/frame_taste.h"
#include "analysis/ranking.h"
#include "profile/profile.h"

namespace heaptally::analysis {

enum class GroupBy { kFunction, kModule, kThread };

struct Group {
  StackFrame frame;  // of functions: one of its frames
  std::string name;  // of modules and threads; "": not known
  profile::Measures self;
  profile::Measures total;  // only what `by` and what stands beside it (ranking.h) need
  size_t stacks = 0;        // whose place is here
};

// Ordered by the lower end of self, then of total, largest first. Sites of class mapped are not in it; groups with
// nothing of the measure are left out. `full`: a place is the innermost frame, whatever it is.
std::vector<Group> RankGroups(const std::vector<const profile::Profile*>& profiles, GroupBy group, By by,
                              const FrameTaste& taste, bool full);

}  // namespace heaptally::analysis
