// The shared file: creating it, and getting more of it mapped and committed while the program runs.
//
// After Create() no descriptor is held and nothing is reserved: the file has its full sparse length, the first part is
// mapped, and every later part comes by mremap(page, 0, n) from a page that is mapped already, committed by
// madvise(MADV_POPULATE_WRITE), which answers EFAULT where a touch would be a SIGBUS. Forked children inherit the
// mappings and go on in the same file.
#pragma once

#include <cstdint>

#include "agent/config.h"
#include "segment/layout.h"

namespace heaptally::agent {

struct Extent {
  uint8_t* memory = nullptr;  // nullptr: refused
  uint64_t offset = 0;        // in the file
};

// The file's header in memory; nullptr while there is no segment.
extern segment::FileHeader* g_file __attribute__((visibility("hidden")));

// Creates the directory (0700) and the file, maps and commits `first_bytes` of it. False: nothing is left behind but
// perhaps the directory, and the agent stays quiet. Refused: a directory of another user, a file system that is neither
// tmpfs, ext4 nor xfs (their mappings may SIGBUS later), RLIMIT_FSIZE or RLIMIT_AS too small.
bool CreateSegmentFile(const Config& config, uint64_t first_bytes);

// Takes `bytes` (a multiple of 4 KiB) from the file. Lock-free. Refused (memory == nullptr) at the cap, on a full disk,
// or when the kernel refuses the mapping.
Extent ExtendSegment(uint64_t bytes);

}  // namespace heaptally::agent
