// A file for speedscope (speedscope.app/file-format-schema.json): one profile in it for each measure that has anything,
// with the stacks in the order of their names, so that equal callers meet in its time-ordered view too.
//
// A frame is a function in a file; speedscope adds up by frame, so calls from different lines of one function meet.
#pragma once

#include <string>
#include <vector>

#include "exporters/stack_table.h"

namespace heaptally::exporters {

// `choice.by` is the profile that opens first. Of several profiles, each image is the root of its own stacks.
std::string Speedscope(const std::vector<profile::Profile>& profiles, const StackChoice& choice, const Wording& wording,
                       const std::string& title, const std::string& tool);

}  // namespace heaptally::exporters
