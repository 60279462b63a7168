// A file in the format of DHAT, version 2, of valgrind's heap profiler: for its viewer (dh_view.html) and the Firefox
// Profiler. It has all measures at once: total (tb), at the global maximum (gb), at the end (eb).
//
// Two fields that its readers demand are not known here, and are the nearest that is: the maximum of each stack by
// itself (mb, mbk) is the larger of its values at the maximum of the process and at the end; the lifetimes (tl) are those
// of freed blocks, each at the middle of its histogram class. Reads and writes are not known and not claimed ("bkacc").
// Times are in microseconds.
#pragma once

#include <string>
#include <vector>

#include "exporters/stack_table.h"

namespace heaptally::exporters {

// Of several profiles, each image is the root of its own stacks; the pid is that of the first.
std::string Dhat(const std::vector<profile::Profile>& profiles, const StackChoice& choice, const Wording& wording);

}  // namespace heaptally::exporters
