// Class mapped: what the program had from the kernel itself, recorded exactly in every mode. Sites and live ranges are in
// the segment; a lock guards both (mappings are rare, and the kernel has a lock for them, too).
//
// The real call is made without the lock, so another thread may be given an address before its release is booked here.
// Hence stamps: Stamp() before a call that unmaps; afterwards only what was made before the stamp is ended. And what a
// mapping is made over has ended, whether that was seen or not.
#pragma once

#include <cstdint>

namespace heaptally::agent::mapped {

bool Open();
void Reopen();  // in a forked child: no system call

// The number of the latest event.
uint64_t Stamp();

// [start, start + bytes) was mapped by the stack of `site`.
void Mapped(uint64_t start, uint64_t bytes, uint32_t site);

// [start, start + bytes) was unmapped by a call before which Stamp() was `newest`.
void Unmapped(uint64_t start, uint64_t bytes, uint64_t newest);

// One mremap: the old range has ended (but with `old_stays`: MREMAP_DONTUNMAP, or a shared mapping made twice), the new
// one is there, with the old one's birth.
struct Move {
  uint64_t old_start, old_bytes;
  uint64_t new_start, new_bytes;
  bool old_stays;
  uint64_t newest;
};
void Moved(const Move& move, uint32_t site);

}  // namespace heaptally::agent::mapped
