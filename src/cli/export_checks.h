// What `heaptally export` refuses, and what it says beside the file.
#pragma once

#include <string>
#include <vector>

#include "analysis/ranking.h"
#include "cli/export_format.h"

namespace heaptally::cli {

// What a format cannot hold. Returns -1 to go on, else the exit status.
int CheckFormat(const ExportFormat& format, analysis::By by, const std::string& output);

// What the profiles do not know, and a file must not invent. False after a complaint.
bool CheckKnown(const ExportFormat& format, const std::vector<profile::Profile>& profiles, analysis::By by);

// Says what is left out of the file because it is not known, and where most is that it does not show.
void RemarkOnContent(const ExportFormat& format, const std::vector<profile::Profile>& profiles, analysis::By by);

}  // namespace heaptally::cli
