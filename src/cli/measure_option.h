// --by: what is ranked, shown or written, by the names that all commands share.
#pragma once

#include <optional>
#include <string>

#include "analysis/ranking.h"

namespace heaptally::cli {

// "live", "peak", "churn" (bytes), "calls" or "temporary"; nothing for any other word.
std::optional<analysis::By> ParseMeasure(const std::string& word);

// The same, or a complaint that offers the nearest.
std::optional<analysis::By> MeasureOption(const std::string& word);

// Complains where no profile knows such a number. Returns true iff one does.
bool CheckKnown(const std::vector<profile::Profile>& profiles, analysis::By by);

// The name again; and what it is in a sentence: "live bytes", "allocations".
const char* MeasureName(analysis::By by);
const char* MeasureWords(analysis::By by);

}  // namespace heaptally::cli
