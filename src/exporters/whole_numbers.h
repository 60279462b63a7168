// A measure of every site as whole numbers that add up to the report's total.
//
// Sampled values are fractions, and rounding each by itself misses the sum by up to half a byte a site. Here the
// running sum is rounded, and a site gets the step: no site is off by one or more, and the sum is the total, rounded
// once.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/ranking.h"
#include "profile/profile.h"

namespace heaptally::exporters {

struct MeasureName {
  analysis::By by;
  const char* name;   // as --by has it
  const char* title;  // for people
};

inline constexpr std::array<MeasureName, 5> kMeasures = {{{analysis::By::kLive, "live", "live"},
                                                          {analysis::By::kPeak, "peak", "peak"},
                                                          {analysis::By::kChurn, "churn", "churn bytes"},
                                                          {analysis::By::kCalls, "calls", "churn calls"},
                                                          {analysis::By::kTemporary, "temporary", "temporary"}}};

// Memory that was mapped directly is address space, not heap, and is never added to it silently: it is in no total of
// the report, and comes into an export only when it is asked for.
enum class Classes { kHeap, kMapped, kAll };
bool IsOf(Classes classes, const profile::Site& site);

using AmountOfMeasures = std::function<const profile::Amount&(const profile::Measures&)>;

const profile::Amount& AmountOf(const profile::Measures& measures, analysis::By by);

// Parallel to profile.sites; 0 for sites of other classes.
std::vector<uint64_t> WholeNumbers(const profile::Profile& profile, const AmountOfMeasures& amount_of, Classes classes);

// Bytes for live, peak and churn, else calls; of the heap.
std::vector<uint64_t> WholeNumbers(const profile::Profile& profile, analysis::By by);

}  // namespace heaptally::exporters
