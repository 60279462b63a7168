// `heaptally report --json`: the contract of docs/report-json.md, version 1. Additions are free; a change of meaning is
// a new number.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/ranking.h"
#include "profile/profile.h"

namespace heaptally::cli {

struct ReportJsonOptions {
  size_t limit = SIZE_MAX;  // sites for each profile; "sites_total" says how many there are
  bool full = false;        // allocator and operator new frames too
  analysis::By by = analysis::By::kLive;  // sites come in the order of its lower end
};

// UTF-8, one object, a line for each site, a newline at the end. Text of the profile that is not UTF-8 is mended with
// U+FFFD. Memory: the text, and one site at a time.
std::string ReportJson(const std::vector<profile::Profile>& profiles, const ReportJsonOptions& options = {});

}  // namespace heaptally::cli
