// One place in full (ux: "One site"): numbers, histograms, threads, and its largest whole stacks.
#pragma once

#include <string>

#include "analysis/places.h"
#include "cli/render_report.h"

namespace heaptally::cli {

std::string RenderPlace(const analysis::Place& place, const ReportView& view);

}  // namespace heaptally::cli
