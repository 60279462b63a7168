// Bytes mode: samples. A table of live ones keyed by address and sums per site, both in the segment.
//
// Samples are rare (one in 512 KiB), so one lock guards all sums; a release itself is one lock-free CAS in the table. A
// lock that can't be had in time is a counted loss: an allocation is then not recorded at all, and a release leaves its
// record for the next insert of the same address to end. While sums change, the site's and the peak's old state stand
// beside them (undo_*), so that a reader of a process that was killed right then sees a whole tally.
#pragma once

#include <cstdint>

#include "sampling/halves.h"
#include "segment/layout.h"

namespace heaptally::agent::sampled {

bool Open();
void Reopen();  // in a forked child: no system call

struct Drawn {
  uint64_t period;                   // T of the draw that fired; count, per-class: what was debited
  sampling::HalfMembership halves;
};

void Acquired(void* pointer, uint64_t size, uint32_t site, const Drawn& drawn);

// False: not a sample (or one whose release could not be booked now).
bool Releasing(void* pointer);

struct Transit {
  uint64_t* key = nullptr;           // nullptr: the old block was not a sample
  segment::Sample* sample = nullptr;
  void* pointer = nullptr;
};
Transit BeginMove(void* pointer);
void AbortMove(const Transit& transit);
void EndMove(const Transit& transit);

// The move succeeded. `drawn` is null when its new size was not sampled: then the old record ends and none begins.
void CommitMove(const Transit& transit, const void* old_pointer, void* new_pointer, uint64_t size, uint32_t site, const Drawn* drawn);

}  // namespace heaptally::agent::sampled
