// The table of `report --group function|module|thread`.
#pragma once

#include <string>
#include <vector>

#include "analysis/groups.h"
#include "cli/render_report.h"

namespace heaptally::cli {

// "function", "module" or "thread".
const char* GroupName(analysis::GroupBy group);

analysis::GroupBy GroupNamed(const std::string& name);

// "" if there is nothing to show. `whole`: of all stacks, for the shares.
std::string RenderGroups(const std::vector<analysis::Group>& groups, analysis::GroupBy group, double whole,
                         const ReportView& view);

}  // namespace heaptally::cli
