// From the name of a function that somebody has typed to the functions of some profiles.
#pragma once

#include <string>
#include <vector>

#include "analysis/frame_table.h"

namespace heaptally::cli {

struct FoundFunctions {
  std::vector<bool> functions;     // by number of the table; empty: none
  std::vector<std::string> names;  // as reports show them, each once
  std::string nearest;             // where none was found: what may have been meant, or ""
};

// The whole name, the name as reports show it (without parameters and template arguments), or where there is none of
// these, the last part of one ("insert" of "cache::insert").
FoundFunctions FindFunctions(const analysis::FrameTable& table, const std::string& name);

}  // namespace heaptally::cli
