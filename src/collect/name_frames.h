// Gives the frames of profiles their names, files and lines: once, outside of the profiled process, each address once.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "profile/profile.h"

namespace heaptally::collect {

// Fills `sources` of every profile. Files of a living process in another mount namespace (a container) are looked for
// below /proc/PID/root. `progress(done, all)` counts frames; it is called often and should be cheap; it may be empty.
// What has no name says why.
void NameFrames(std::vector<profile::Profile>* profiles, const std::function<void(size_t done, size_t all)>& progress);

}  // namespace heaptally::collect
