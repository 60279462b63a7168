// The table of places: which lines hold the memory, how sure that is, and what is left out.
#pragma once

#include <string>
#include <vector>

#include "analysis/places.h"
#include "cli/units.h"

namespace heaptally::cli {

struct PlacesView {
  analysis::By by = analysis::By::kLive;
  size_t width = 80;
  size_t limit = 10;  // places shown
  NumberStyle style;
  std::string by_words;  // "live at exit": what stands at the head of the table
};

// `profiles`: the images whose sites are summed. "" if there is nothing to show.
std::string RenderPlaces(const std::vector<const profile::Profile*>& profiles, const PlacesView& view);

// "312 MiB (303-321)", and just "312 MiB" where the number is exact.
std::string WithInterval(const sampling::Estimate& estimate, bool bytes, NumberStyle style = {});

// An interval as a cell of its own, "" where the number is exact.
std::string IntervalCell(const sampling::Estimate& estimate, bool bytes, NumberStyle style = {});

}  // namespace heaptally::cli
