// Anonymous memory of the agent's own. Always MADV_WIPEONFORK: whatever way a child was made, it finds zeros there, and so
// can't take a record, a lock or an index of its parent's for its own.
#pragma once

#include <cstdint>

#include "platform/syscalls.h"

namespace heaptally::agent {

// nullptr when the kernel refuses.
inline void* MapPrivate(uint64_t bytes) {
  using platform::Call;
  constexpr long kReadWrite = 3, kPrivateAnonymous = 0x22, kDontDump = 16, kWipeOnFork = 18;
  const long memory = platform::Syscall(Call::kMmap, 0, static_cast<long>(bytes), kReadWrite, kPrivateAnonymous, -1, 0);
  if (memory < 0 && memory > -4096) return nullptr;
  platform::Syscall(Call::kMadvise, memory, static_cast<long>(bytes), kDontDump);
  if (platform::Syscall(Call::kMadvise, memory, static_cast<long>(bytes), kWipeOnFork) != 0) {
    platform::Syscall(Call::kMunmap, memory, static_cast<long>(bytes));
    return nullptr;
  }
  return reinterpret_cast<void*>(memory);
}

inline void UnmapPrivate(void* memory, uint64_t bytes) {
  platform::Syscall(platform::Call::kMunmap, platform::AsLong(memory), static_cast<long>(bytes));
}

}  // namespace heaptally::agent
