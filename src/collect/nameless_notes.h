// Says which modules keep how much of the memory nameless, and what would give them names.
#pragma once

#include <string>

#include "profile/profile.h"

namespace heaptally::collect {

// Adds a note to a named profile for each module (at most three) whose code, without names, allocated at least a
// hundredth of the bytes: of the live ones, or of all where nothing lives. A site belongs to its innermost frame that
// does not merely allocate for its caller.
void NoteNamelessModules(profile::Profile* profile);

// The Debian package that `path` belongs to, from the lists in `folder` (/var/lib/dpkg/info); "" if none has it.
std::string DebianPackageOf(const std::string& path, const std::string& folder);

}  // namespace heaptally::collect
