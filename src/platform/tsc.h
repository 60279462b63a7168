// The time stamp counter. Reading it is about 8 ns and needs no system call, but a program may forbid it
// (prctl(PR_SET_TSC, PR_TSC_SIGSEGV)): the agent asks before it uses this.
#pragma once

#include <cstdint>

namespace heaptally::platform {

inline uint64_t ReadTsc() {
  uint32_t low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  return (static_cast<uint64_t>(high) << 32) | low;
}

}  // namespace heaptally::platform
