// How frames look in text, and which of them are folded.
#pragma once

#include <string>

#include "analysis/places.h"

namespace heaptally::cli {

// Plumbing by name (symbols/display.h), and everything in the C and C++ run-time libraries and in the agent, named or
// not.
analysis::FrameTaste ReportTaste();

// Function without return type, parameters and template arguments; printable. "libfoo.so+0x1234" where there is no
// name.
std::string ShownName(const analysis::StackFrame& frame);

// "cache.cc:88"; without debug information the module in brackets, "[libfoo.so]"; printable.
std::string ShownPlace(const analysis::StackFrame& frame);

// For whole stacks: the function with shortened templates and its parameters, and where it is, with the full path.
std::string ShownWholeName(const analysis::StackFrame& frame);
std::string ShownWholePlace(const analysis::StackFrame& frame);

}  // namespace heaptally::cli
