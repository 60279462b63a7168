// Exact mode: every block is recorded. The live set is private; everything that a report needs is in the per-site counters
// of the segment at every moment, so nothing is lost when the process is killed.
//
// Counters that belong together ({objects, bytes}) change by one cmpxchg16b: no lock, no half-written pair, whoever is
// killed or interrupted wherever.
#pragma once

#include <cstdint>

#include "agent/block_table.h"

namespace heaptally::agent::exact {

bool Open();
void Reopen();  // in a forked child: no system call

// Asks for the cache line that an event of this address will need soon.
void Prefetch(uint64_t address);

// A block of `size` requested bytes was handed out. `site`: its stack's site id.
void Acquired(uint64_t address, uint64_t size, uint32_t site);

// The block at `address` is about to be given back. False: not a block that was recorded.
bool Releasing(uint64_t address);

// realloc: the old block's record stays, counted live, without an address, while the real call runs.
struct Transit {
  BlockTable::Slot slot;  // none: the old block was not recorded
  Block block;
  uint64_t size = 0;  // the whole of it, also of a big block
};
Transit BeginMove(uint64_t address);
void AbortMove(const Transit& transit, uint64_t old_address);                 // the real call failed: the old block is live
void CommitMove(const Transit& transit, uint64_t old_address, uint64_t new_address, uint64_t size, uint32_t site);
void EndMove(const Transit& transit);                                         // realloc(p, 0) freed it

}  // namespace heaptally::agent::exact
