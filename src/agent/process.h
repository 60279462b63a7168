// The life of the agent in a process: start, forked children, end.
#pragma once

#include <cstdint>

#include "base/branch.h"
#include "segment/layout.h"

namespace heaptally::agent {

// In private MADV_WIPEONFORK memory: kOwner in the process that opened the image that g_image speaks of, 0 in a child that
// was made since, in whatever way.
enum class Ownership : uint32_t { kWiped = 0, kOwner = 1, kClaiming = 2, kNone = 3 };
extern uint32_t* g_ownership __attribute__((visibility("hidden")));

// Goes up whenever this process begins a new image or finds itself forked: what a thread or an interrupted hook remembers
// from before is then void.
extern uint32_t g_epoch __attribute__((visibility("hidden")));

// Goes up with g_epoch, and whenever exact mode's usual case needs another look (a thread was named by another one).
extern uint32_t g_exact_epoch __attribute__((visibility("hidden")));

HT_ALWAYS_INLINE bool OwnsImage() {
  return g_ownership != nullptr && __atomic_load_n(g_ownership, __ATOMIC_ACQUIRE) == static_cast<uint32_t>(Ownership::kOwner);
}

// A child's first event: claims a region that its parent prepared. No system call. True if the process may record.
bool ClaimImage();

uint64_t NewSeed();

// The header of the file's first image, in whatever process of the file; nullptr while there is no segment.
segment::ImageHeader* FirstImageHeader();

}  // namespace heaptally::agent
