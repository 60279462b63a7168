// The views of `report --json`: trees, groups, and places in full, as members of the whole (docs/report-json.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/ranking.h"
#include "cli/report_options.h"
#include "profile/profile.h"

namespace heaptally::cli {

// `"by":"live","tree":{...},`, with a comma behind; "" if no view was asked for, nothing after a complaint. What the text
// sums, it sums: the profiles must be as the text has them, threads merged or not.
std::optional<std::string> ViewMembers(const std::vector<profile::Profile>& profiles, const ReportOptions& options,
                                       analysis::By by);

}  // namespace heaptally::cli
