// `heaptally report --site N|FUNCTION`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/render_report.h"
#include "profile/profile.h"

namespace heaptally::cli {

// Place number N of the list that the same options give, or all places in a function. Nothing after a complaint.
std::optional<std::string> ReportSite(const std::vector<profile::Profile>& profiles, const std::string& which,
                                      const ReportView& view);

}  // namespace heaptally::cli
