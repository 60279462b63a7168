// What lists are ordered by, and the two numbers that stand in a row of each.
#pragma once

#include "profile/estimates.h"
#include "profile/profile.h"

namespace heaptally::analysis {

enum class By { kLive, kPeak, kChurn, kCalls, kTemporary };

// The number that `by` orders by (bytes for live, peak and churn; calls otherwise), and the one of the other kind that
// stands beside it.
sampling::Estimate Ranked(const profile::Measures& measures, By by);
sampling::Estimate Beside(const profile::Measures& measures, By by);
bool RanksBytes(By by);

}  // namespace heaptally::analysis
