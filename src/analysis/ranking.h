// What lists are ordered by, and the two numbers that stand in a row of each.
#pragma once

#include <vector>

#include "profile/estimates.h"
#include "profile/profile.h"

namespace heaptally::analysis {

enum class By { kLive, kPeak, kChurn, kCalls, kTemporary };

// The number that `by` orders by (bytes for live, peak and churn; calls otherwise), and the one of the other kind that
// stands beside it; the last two: the amounts that they are made of.
sampling::Estimate Ranked(const profile::Measures& measures, By by);
sampling::Estimate Beside(const profile::Measures& measures, By by);
const profile::Amount& RankedAmount(const profile::Measures& measures, By by);
const profile::Amount& BesideAmount(const profile::Measures& measures, By by);
bool RanksBytes(By by);

// Whether there is such a number in one of the profiles: mode `count` knows none of bytes.
bool IsKnown(const std::vector<profile::Profile>& profiles, By by);

// The peak of a process's live bytes as it is shown: the estimate at the peak is of other samples than that of what is
// live now, and may come out below it; the peak itself never is, so it is shown as no lower than that. `totals` are a
// process's own, not a sum of several.
sampling::Estimate ProcessPeak(const profile::Measures& totals);

// What is worth showing first: calls where bytes are not known, else what is live at the end; but of a program that has freed most of it by then, what was
// live at the peak. Peaks of several processes are at different moments, so for a tree it is always the end.
By UsualView(const std::vector<profile::Profile>& profiles);

}  // namespace heaptally::analysis
