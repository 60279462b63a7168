// The trees of `heaptally report`: --tree, --callers, --callees.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/render_report.h"
#include "cli/report_options.h"
#include "profile/profile.h"

namespace heaptally::cli {

// The tree as text, "" if there is nothing in it; nothing after a complaint (there is no such function).
std::optional<std::string> ReportTree(const std::vector<profile::Profile>& profiles, const ReportOptions& options,
                                      const ReportView& view);

}  // namespace heaptally::cli
