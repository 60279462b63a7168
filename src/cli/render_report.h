// `heaptally report` as text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/ranking.h"
#include "cli/units.h"
#include "profile/profile.h"

namespace heaptally::cli {

struct ReportView {
  analysis::By by = analysis::By::kLive;
  size_t width = 80;
  size_t limit = 20;       // places (or whole stacks) shown
  bool by_itself = false;  // `by` was not asked for but chosen (analysis::UsualView)
  bool full = false;       // whole stacks with histograms instead of places
  std::optional<std::string> body;  // what stands where the places do, if something else was asked for
  std::string suppressed;           // a table of its own at the end
  std::string narrowed;    // "focus json: 62 % of live bytes"; "" if all stacks are here
  NumberStyle style;
};

// Profiles of one run or of one process: one gives its totals and its places, several also who they are.
std::string RenderReport(const std::vector<profile::Profile>& profiles, const ReportView& view);

// "live", "live at the peak", "churn (bytes)": what stands at the head of a table.
const char* ByWords(analysis::By by);

// One site: its whole stack, numbers, and histograms of size and lifetime (render_site.cc).
std::string RenderSite(const profile::Profile& profile, const profile::Site& site, const ReportView& view);

// Its parts: the whole stack, innermost frame first; what was live, allocated and freed, in a sentence.
std::string StackLines(const profile::Profile& profile, const profile::Site& site, size_t width);
std::string MeasuresSentence(const profile::Measures& measures, std::optional<uint64_t> oldest_ns, NumberStyle style);

}  // namespace heaptally::cli
