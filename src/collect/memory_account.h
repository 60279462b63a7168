// The account of a process's resident memory: which part of it is what. Each part is measured by itself, page by page:
//
//   heap      [heap], glibc's arenas, blocks that it maps one by one, and what another allocator mapped for itself
//   mapped    what the program itself mapped, by site (the ranges of class mapped)
//   stacks    of the main thread, and of threads (what lies right above an inaccessible guard)
//   files     programs and libraries with their data, and files that libc or the loader mapped
//   own       heaptally's
//
// What is in none of them is unexplained: RSS minus the parts, so it is 0 only if everything was found to be something
// (docs/design/0023).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collect/address_space.h"

namespace heaptally::collect {

// What is mapped by class mapped, or by the allocator for itself.
struct LiveRange {
  uint64_t start = 0;
  uint64_t end = 0;
  uint32_t site = 0;
  bool allocators = false;
};

struct MemoryAccount {
  uint64_t rss_bytes = 0;  // sum over the mappings, at one look
  uint64_t heap_bytes = 0;
  uint64_t mapped_bytes = 0;
  uint64_t stacks_bytes = 0;
  uint64_t files_bytes = 0;
  uint64_t own_bytes = 0;
  std::map<uint32_t, uint64_t> mapped_by_site;  // resident; of every site that has a range
  bool looked_into = true;  // false: single blocks could not be looked for, so some of the heap may be unexplained

  uint64_t unexplained_bytes() const {
    return rss_bytes - heap_bytes - mapped_bytes - stacks_bytes - files_bytes - own_bytes;
  }
};

// `mappings` in order of addresses; `ranges` in any order, not overlapping.
MemoryAccount AccountFor(const std::vector<Mapping>& mappings, std::vector<LiveRange> ranges, ProcessPages* pages);

}  // namespace heaptally::collect
