// Atomic changes of shared words that are cheap while the process has one thread.
//
// A locked instruction costs 15 to 20 cycles even on a line that nobody else touches, and exact mode needs half a dozen for
// every block. libc knows whether there was ever a second thread (`__libc_single_threaded`, glibc 2.32+; it decides about
// malloc's own locks by it) and says so before the thread starts. Until then the same instruction without the lock prefix
// is enough: a single instruction is whole for a signal handler and for a reader of a process that was killed.
//
// A child that shares the memory without being a thread of libc's (raw clone with CLONE_VM) is not counted by libc; its
// malloc has the same limit.
#pragma once

#include <cstdint>

#include "base/branch.h"

extern "C" char __libc_single_threaded __attribute__((weak, visibility("default")));

namespace heaptally::platform {

// Nonzero: no lock prefix is needed.
HT_ALWAYS_INLINE uint8_t SingleThreaded() {
  return &__libc_single_threaded != nullptr ? static_cast<uint8_t>(__atomic_load_n(&__libc_single_threaded, __ATOMIC_RELAXED)) : uint8_t{0};
}

// *word: `expected` -> `desired`. False: it was something else.
HT_ALWAYS_INLINE bool CompareExchange(uint64_t* word, uint64_t expected, uint64_t desired, uint8_t single) {
  bool done;
  __asm__ volatile("testb %[single], %[single]\n\tjne 1f\n\tlock\n1:\tcmpxchgq %[desired], %[word]"
                   : "=@ccz"(done), [word] "+m"(*word), "+a"(expected)
                   : [desired] "r"(desired), [single] "q"(single)
                   : "memory");
  return done;
}

// Adds `delta`; returns the value before.
HT_ALWAYS_INLINE uint64_t FetchAdd(uint64_t* word, uint64_t delta, uint8_t single) {
  __asm__ volatile("testb %[single], %[single]\n\tjne 1f\n\tlock\n1:\txaddq %[delta], %[word]"
                   : [delta] "+r"(delta), [word] "+m"(*word)
                   : [single] "q"(single)
                   : "cc", "memory");
  return delta;
}

HT_ALWAYS_INLINE void Add(uint64_t* word, uint64_t delta, uint8_t single) {
  __asm__ volatile("testb %[single], %[single]\n\tjne 1f\n\tlock\n1:\taddq %[delta], %[word]"
                   : [word] "+m"(*word)
                   : [delta] "r"(delta), [single] "q"(single)
                   : "cc", "memory");
}

// Adds to two words that lie side by side (16-byte aligned) as one change.
HT_ALWAYS_INLINE void AddPair(uint64_t* pair, uint64_t first, uint64_t second, uint8_t single) {
  uint64_t old_first = pair[0], old_second = pair[1];
  bool done;
  do {
    __asm__ volatile("testb %[single], %[single]\n\tjne 1f\n\tlock\n1:\tcmpxchg16b %[pair]"
                     : "=@ccz"(done), [pair] "+m"(*reinterpret_cast<unsigned __int128*>(pair)), "+a"(old_first), "+d"(old_second)
                     : "b"(old_first + first), "c"(old_second + second), [single] "q"(single)
                     : "memory");
  } while (HT_UNLIKELY(!done));
}

}  // namespace heaptally::platform
