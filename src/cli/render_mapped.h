// Class mapped as text: what the program had from the kernel itself, and which lines of code asked for it.
#pragma once

#include <string>
#include <vector>

#include "cli/units.h"
#include "profile/profile.h"

namespace heaptally::cli {

struct MappedView {
  size_t width = 80;
  size_t limit = 3;  // places shown
  NumberStyle style;
};

// The line of totals: reserved, resident where that is known, and the most that was ever reserved. "" if nothing was
// mapped, or less than a hundredth of what the heap held.
std::string RenderMappedTotals(const profile::Profile& profile, size_t width, NumberStyle style = {});

// The table of places. "" where the line is.
std::string RenderMappedPlaces(const std::vector<const profile::Profile*>& profiles, const MappedView& view);

}  // namespace heaptally::cli
