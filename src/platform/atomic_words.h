// The one atomic change that no builtin makes: two words that lie side by side, as one. Whoever reads them in one piece, or
// is left with them when the writer was killed, finds both or neither changed.
//
// (Leaving out the lock prefix while libc says that there is one thread was tried, and made no difference here; so the
// changes are right for children that share the memory without libc's knowledge, too.)
#pragma once

#include <cstdint>

#include "base/branch.h"

namespace heaptally::platform {

// pair[0] += first, pair[1] += second. `pair` is 16-byte aligned.
HT_ALWAYS_INLINE void AddPair(uint64_t* pair, uint64_t first, uint64_t second) {
  uint64_t old_first = pair[0], old_second = pair[1];
  bool done;
  do {
    __asm__ volatile("lock cmpxchg16b %[pair]"
                     : "=@ccz"(done), [pair] "+m"(*reinterpret_cast<unsigned __int128*>(pair)), "+a"(old_first), "+d"(old_second)
                     : "b"(old_first + first), "c"(old_second + second)
                     : "memory");
  } while (HT_UNLIKELY(!done));
}

// pair := {first, second} where it is {0, 0}. Returns true iff it was.
HT_ALWAYS_INLINE bool SetZeroPair(uint64_t* pair, uint64_t first, uint64_t second) {
  uint64_t old_first = 0, old_second = 0;
  bool done;
  __asm__ volatile("lock cmpxchg16b %[pair]"
                   : "=@ccz"(done), [pair] "+m"(*reinterpret_cast<unsigned __int128*>(pair)), "+a"(old_first), "+d"(old_second)
                   : "b"(first), "c"(second)
                   : "memory");
  return done;
}

}  // namespace heaptally::platform
