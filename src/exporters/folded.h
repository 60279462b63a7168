// Folded stacks, the format of Brendan Gregg's flamegraph.pl, which speedscope, inferno and others read too:
//
//   main;parse;parse_header 1382400
//
// one line per distinct stack, root first, a space before the number. The format knows no quoting, so a frame is made
// safe: `;` becomes `:`, control characters and bytes that are not UTF-8 become `?`, spaces at its ends are dropped.
// The lines of all profiles add up to the report's total of the measure (sampled: the estimate without its interval,
// which the format has no room for).
#pragma once

#include <string>
#include <vector>

#include "exporters/stack_table.h"

namespace heaptally::exporters {

// One frame of a line; never empty.
std::string SafeFrame(const std::string& name);

// `choice.by` says what the numbers are. Sorted by text. Of several profiles, each image is the root of its own stacks.
// Stacks with nothing of the measure are left out.
std::string Folded(const std::vector<profile::Profile>& profiles, const StackChoice& choice, const Wording& wording);

}  // namespace heaptally::exporters
