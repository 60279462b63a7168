// Programs that were executed and are not profiled, noted in the segment's first image by whatever process of the file
// executes them: forked children that have no image of their own, children of vfork.
#pragma once

#include "segment/layout.h"

namespace heaptally::agent {

// Counts one execution of the program at `path` by process `pid` (0: not known yet), before it. nullptr: there is no segment, or no room (counted).
segment::UnfollowedProgram* NoteUnfollowed(segment::NotFollowed reason, const char* path, int32_t pid);

// It was not executed after all.
void TakeBackUnfollowed(segment::UnfollowedProgram* program);

}  // namespace heaptally::agent
