// What changed between two sides: moments of a run, two runs, two builds. Lines of code are matched by what a rebuild does
// not change: the function, its file's name and, where both sides ran the very same object (build id), the line. Never by
// address.
//
// Two snapshots of one image share most of their sample: blocks that live in both cancel (profile::LiveSample), and what
// was allocated in between is known without them. Two runs are independent: both intervals count in full. A change that
// its interval does not tell from nothing is noise; it is summed, not ranked.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/places.h"
#include "analysis/ranking.h"
#include "profile/profile.h"
#include "sampling/estimate.h"

namespace heaptally::analysis {

enum class ChangeKind { kNew, kGone, kGrown, kShrunk, kNoise, kSame };

struct PlaceChange {
  StackFrame frame;  // as it is afterwards, or was, where it is gone
  bool has_frame = false;
  std::string unnamed;
  StackFrame caller;  // one of them
  bool has_caller = false;
  ChangeKind kind = ChangeKind::kSame;
  sampling::Change change;
  sampling::Change beside;  // objects of live and peak, calls of churn, bytes of calls: only its value is meant
  sampling::Estimate before, after;
};

struct Changes {
  std::vector<PlaceChange> ranked;  // by the part of the change that is certain, largest first
  PlaceChange total;                // no frame
  PlaceChange noise;                // of all places that are noise, together
  size_t noisy = 0;
  size_t same = 0;
  bool one_image = false;  // at least one image is on both sides
};

Changes Compare(const std::vector<profile::Profile>& before, const std::vector<profile::Profile>& after, By by,
                const FrameTaste& taste);

// A function's name without what a compiler adds to parts and copies of it: ".constprop.0", " [clone .cold]".
std::string StableName(const std::string& function);

}  // namespace heaptally::analysis
