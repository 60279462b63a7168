// Gives the frames of profiles their names, files and lines: once, outside of the profiled process, each address once.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "collect/kept_modules.h"
#include "profile/profile.h"

namespace heaptally::collect {

// Fills `sources` of every profile, and adds a note for each module that keeps a share of the bytes nameless. `kept`: what
// was noted while the processes lived. `progress(done, all)` counts frames; it is called often and should be cheap; it may
// be empty. What has no name says why.
void NameFrames(std::vector<profile::Profile>* profiles, const KeptModules& kept,
                const std::function<void(size_t done, size_t all)>& progress);

}  // namespace heaptally::collect
