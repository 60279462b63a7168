// Histograms as two lines of text: lower edges, and bars under them.
#pragma once

#include <string>
#include <vector>

#include "cli/units.h"
#include "profile/profile.h"

namespace heaptally::cli {

// Sizes by powers of two, and the few that matter in words behind them or below; "" if there are none.
std::string SizeHistogram(const std::vector<profile::Bucket>& sizes, size_t width, NumberStyle style);

// Lifetimes of freed blocks by decades, and how many are `live`; "" if there is nothing of either.
std::string LifetimeHistogram(const std::vector<profile::Bucket>& lifetimes_ns, double live);

}  // namespace heaptally::cli
