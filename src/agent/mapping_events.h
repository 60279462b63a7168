// What happens between a mapping hook and the tally: whose mapping is it, and under which site.
//
// A call that comes from the object that defines the real malloc (jemalloc, tcmalloc) is that allocator's own: its memory is
// handed out again by malloc, where it counts. It is kept as a range, for the account of resident memory, but is in no site
// and no total. libc's own calls do not come through the hooks at all. A call from an object that defines mmap itself, and
// is not libc, is the inner one of a call that counts already.
#pragma once

#include <cstdint>

#include "platform/thread.h"

namespace heaptally::agent {

// The real call succeeded; whole pages.
void RecordMapping(const platform::Registers& caller, uint64_t start, uint64_t bytes);

// The program break has moved up; not in whole pages.
void RecordBreak(const platform::Registers& caller, uint64_t before, uint64_t after);

// The real call succeeded; `newest` is mapped::Stamp() from before it.
void RecordUnmapping(const platform::Registers& caller, uint64_t start, uint64_t end, uint64_t newest);

struct Remapping {
  uint64_t old_start, old_bytes;
  uint64_t new_start, new_bytes;
  int flags;
  uint64_t newest;
};
void RecordRemapping(const platform::Registers& caller, const Remapping& remapping);

}  // namespace heaptally::agent
