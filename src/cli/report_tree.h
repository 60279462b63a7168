// The trees of `heaptally report`: --tree, --callers, --callees.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/stack_tree.h"
#include "cli/render_report.h"
#include "cli/report_options.h"
#include "profile/profile.h"

namespace heaptally::cli {

// A tree that was asked for. `least_share`: of the whole, what is smaller is left out.
struct AskedTree {
  analysis::FrameTable table;
  analysis::TreeQuestion question;
  std::vector<std::string> through;  // names of the functions of --callers and --callees
  analysis::StackTree tree;
  double whole = 0;  // of all stacks of the report, by question.by
};

// Nothing after a complaint (there is no such function). `profiles` must outlive it.
std::optional<AskedTree> AskTree(const std::vector<profile::Profile>& profiles, const ReportOptions& options,
                                 analysis::By by, double least_share);

// The tree as text, "" if there is nothing in it; nothing after a complaint.
std::optional<std::string> ReportTree(const std::vector<profile::Profile>& profiles, const ReportOptions& options,
                                      const ReportView& view);

}  // namespace heaptally::cli
