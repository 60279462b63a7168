// A run of many processes on one screen: sums by program, the largest processes, and who is still running.
#pragma once

#include <string>
#include <vector>

#include "cli/units.h"
#include "profile/profile.h"

namespace heaptally::cli {

// Totals of all images, a table by program, the five largest processes by peak. Live bytes are summed over processes,
// each at its own end; peaks are never summed.
std::string RenderTree(const std::vector<const profile::Profile*>& profiles, size_t width, NumberStyle style = {});

// Lines that name the processes that go on (daemons), with how to look at them; "" if there are none.
std::string StillRunning(const std::vector<const profile::Profile*>& profiles, int started_pid, size_t width);

}  // namespace heaptally::cli
