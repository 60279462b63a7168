// `heaptally report --json`: the contract of docs/report-json.md, version 1. Additions are free; a change of meaning is
// a new number.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/ranking.h"
#include "profile/profile.h"

namespace heaptally::cli {

struct ReportJsonOptions {
  size_t limit = SIZE_MAX;  // sites for each profile; "sites_total" says how many there are
  bool full = false;        // allocator and operator new frames too
  analysis::By by = analysis::By::kLive;  // sites come in the order of its lower end
  // Further members of the whole, each with a comma behind it.
  std::string members;
};

// UTF-8, one object, a line for each site, a newline at the end. Text of the profile that is not UTF-8 is mended with
// U+FFFD. Memory: a megabyte of text, and each distinct frame's; `write` gets the next piece.
void WriteReportJson(const std::vector<profile::Profile>& profiles, const ReportJsonOptions& options,
                     const std::function<void(std::string_view)>& write);

// The same as one text.
std::string ReportJson(const std::vector<profile::Profile>& profiles, const ReportJsonOptions& options = {});

}  // namespace heaptally::cli
