// From a stack and the name of the thread that it was taken in to its site: interning. Each distinct stack is stored once,
// as a path in the segment's tree of frames; a stack that threads of several names come along has a site for each name.
//
// The known ones are found without a lock, by a 64-bit hash of the return addresses, the thread's name, the generation of the modules and the
// way the stack ended (a collision among a million sites has a chance of 3e-8). A new one takes the interning lock: its
// modules are verified, its frames are added to the tree from the root down, and a site is made. When there is no room, the
// stack is booked at the nearest caller that has a site, else at "other": totals stay exact.
#pragma once

#include <cstdint>

#include "segment/layout.h"
#include "unwind/unwinder.h"

namespace heaptally::agent {

// Allocates the private index. Once, before the first stack. False: no memory.
bool OpenStacks(uint64_t seed);

// A forked child: everything private was wiped; starts again at the first size.
bool ReopenStacks(uint64_t seed);

uint64_t HashStack(const uint64_t* frames, uint32_t count, unwind::End end);

// Id of the stack's site of that kind (Kind::kSites or Kind::kMappedSites: a stack may have one of each). Never fails:
// kSiteOtherId when it can't be booked where it belongs (counted).
uint32_t SiteOf(const uint64_t* frames, uint32_t count, unwind::End end, segment::Kind kind = segment::Kind::kSites);

}  // namespace heaptally::agent
