// What `heaptally report` is asked for.
#pragma once

#include <string>
#include <vector>

#include "cli/fail_if.h"
#include "cli/input_options.h"

namespace heaptally::cli {

struct ReportOptions {
  InputOptions input;
  std::string by;                // "": the usual view; of JSON, live
  std::string tree;              // "top-down", "bottom-up"; "": none
  std::string group = "line";    // or "function", "module", "thread" or "stack"
  std::string callers, callees;  // of a function; "": not asked for
  std::string site;              // a row of the list, or a function; "": not asked for
  double min_share = 1;          // percent; of trees
  bool min_share_given = false;  // else JSON holds everything
  bool json = false;
  bool full = false;
  bool plain = false;
  bool moments = false;
  FailIf fail_if;
  uint32_t limit = 20;
  bool limit_given = false;  // else JSON holds everything

  bool asks_for_tree() const { return !tree.empty() || !callers.empty() || !callees.empty(); }
  bool asks_for_groups() const { return group != "line" && group != "stack"; }
  // Something else than the list of places, or of sites.
  bool asks_for_view() const { return !site.empty() || asks_for_tree() || asks_for_groups(); }
};

// Returns -1 to go on, else the exit status.
int ParseReportOptions(const std::vector<std::string>& arguments, ReportOptions* options);

}  // namespace heaptally::cli
