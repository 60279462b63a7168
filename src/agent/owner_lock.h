// A lock whose word is its owner: the thread pointer. For the few places where the agent can't do without.
//
// No real call and no system call but sched_yield happens under it. A thread never waits for itself: a signal handler that
// interrupted the owner on its own thread is refused at once. An owner that was left behind (its handler jumped out with
// siglongjmp) is recognised when the same thread comes again from further up the same stack, and then loses the lock.
#pragma once

#include <cstdint>

#include "agent/thread_state.h"
#include "base/branch.h"
#include "platform/syscalls.h"
#include "platform/thread.h"

namespace heaptally::agent {

enum class Acquired : uint8_t {
  kYes,
  kAbandoned,  // yes, but the previous owner never finished: what the lock guards may be half changed
  kReentry,    // no: the calling thread holds it further up
  kTimeout,    // no
};

// `word` and `owner_sp` may lie in shared memory. `yields` bounds the wait.
inline Acquired AcquireOwnerLock(uint64_t* word, uint64_t* owner_sp, uint32_t yields) {
  const uint64_t self = platform::ThreadPointer();
  const uint64_t sp = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  for (uint32_t tries = 0;; ++tries) {
    uint64_t owner = 0;
    if (HT_LIKELY(__atomic_compare_exchange_n(word, &owner, self, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))) {
      *owner_sp = sp;
      return Acquired::kYes;
    }
    if (owner == self) {
      const uint64_t held_at = *owner_sp;
      const unwind::StackBounds& bounds = t_state.bounds;
      const bool same_stack = held_at >= bounds.proven_low && held_at < bounds.high && sp >= bounds.proven_low && sp < bounds.high;
      if (!same_stack || held_at >= sp) return Acquired::kReentry;
      *owner_sp = sp;
      return Acquired::kAbandoned;
    }
    if (tries < 64) {
      platform::CpuRelax();
    } else if (tries - 64 < yields) {
      platform::Syscall(platform::Call::kSchedYield);
    } else {
      return Acquired::kTimeout;
    }
  }
}

inline void ReleaseOwnerLock(uint64_t* word) { __atomic_store_n(word, uint64_t{0}, __ATOMIC_RELEASE); }

}  // namespace heaptally::agent
