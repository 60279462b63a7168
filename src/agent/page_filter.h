// Does this page hold a recorded block? One byte load answers "no" for almost every free in bytes mode.
//
// Saturating byte counters keyed by page number, up before a record is published, down after it is gone (a single bit, set
// by one thread and cleared by another, misses a release for ever). 512 KiB of address space, direct-mapped, so that the
// bytes of neighbouring pages are neighbours too and only touched pages cost memory (docs/design/0003). It lies in private
// MADV_WIPEONFORK memory: a child starts with zeros and can never end a record of its parent's.
//
// In exact mode every release must be looked at: the filter then is one byte that is never zero, under a mask of 0.
#pragma once

#include <cstdint>

#include "base/branch.h"

namespace heaptally::agent {

struct PageFilter {
  uint64_t mask = 0;
  uint8_t* counters = nullptr;
};

inline constexpr uint64_t kFilterBytes = 512u << 10;

extern PageFilter g_filter __attribute__((visibility("hidden")));
extern uint8_t g_never_zero __attribute__((visibility("hidden")));

HT_ALWAYS_INLINE uint8_t* FilterByte(const void* pointer) {
  return &g_filter.counters[(reinterpret_cast<uint64_t>(pointer) >> 12) & g_filter.mask];
}

HT_ALWAYS_INLINE bool MayBeRecorded(const void* pointer) { return *FilterByte(pointer) != 0; }

inline void FilterUp(const void* pointer) {
  uint8_t* byte = FilterByte(pointer);
  uint8_t value = __atomic_load_n(byte, __ATOMIC_RELAXED);
  while (value != UINT8_MAX && !__atomic_compare_exchange_n(byte, &value, value + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
  }
}

inline void FilterDown(const void* pointer) {
  uint8_t* byte = FilterByte(pointer);
  uint8_t value = __atomic_load_n(byte, __ATOMIC_RELAXED);
  // A saturated counter stays: how many it stood for is not known any more.
  while (value != UINT8_MAX && value != 0 && !__atomic_compare_exchange_n(byte, &value, value - 1, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
  }
}

}  // namespace heaptally::agent
