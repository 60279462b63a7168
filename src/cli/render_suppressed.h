// What --suppressions has left out, by pattern.
#pragma once

#include <string>
#include <vector>

#include "analysis/suppressions.h"
#include "cli/render_report.h"

namespace heaptally::cli {

// A table with a sum in its first line, after LeakSanitizer's; "" if there are no patterns.
std::string RenderSuppressed(const std::vector<analysis::Suppressed>& list, const ReportView& view);

// `"suppressed":[{"pattern":...,"stacks":...,MEASURES}],`; "" if there are no patterns.
std::string SuppressedJson(const std::vector<analysis::Suppressed>& list);

}  // namespace heaptally::cli
