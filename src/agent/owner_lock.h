// A lock whose word is its owner: the thread pointer. For the few places where the agent can't do without.
//
// No real call and no system call but sched_yield happens under it. A thread never waits for itself: a signal handler that
// interrupted the owner on its own thread is refused at once. An owner that was left behind (a handler that interrupted it
// jumped out with siglongjmp) is recognised when the same thread comes again and the owner's frame is no longer among its
// callers: it loses the lock. (Stack pointers alone can't tell: the next call comes from the same depth, or from deeper.)
#pragma once

#include <cstdint>

#include "agent/thread_state.h"
#include "base/branch.h"
#include "platform/syscalls.h"
#include "platform/thread.h"

namespace heaptally::agent {

enum class LockResult : uint8_t {
  kYes,
  kAbandoned,  // yes, but the previous owner never finished: what the lock guards may be half changed
  kReentry,    // no: the calling thread holds it further up
  kTimeout,    // no
};

// The calling thread holds a lock since a frame at stack address `held_at`: is that frame still there, further up?
bool IsHeldFurtherUp(uint64_t held_at);

// `word` and `owner_sp` may lie in shared memory. `yields` bounds the wait.
HT_ALWAYS_INLINE LockResult AcquireOwnerLock(uint64_t* word, uint64_t* owner_sp, uint32_t yields) {
  const uint64_t self = platform::ThreadPointer();
  const uint64_t sp = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  for (uint32_t tries = 0;; ++tries) {
    uint64_t owner = 0;
    if (HT_LIKELY(__atomic_compare_exchange_n(word, &owner, self, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))) {
      *owner_sp = sp;
      return LockResult::kYes;
    }
    if (owner == self) {
      if (IsHeldFurtherUp(*owner_sp)) return LockResult::kReentry;
      *owner_sp = sp;
      return LockResult::kAbandoned;
    }
    if (tries < 64) {
      platform::CpuRelax();
    } else if (tries - 64 < yields) {
      platform::Syscall(platform::Call::kSchedYield);
    } else {
      return LockResult::kTimeout;
    }
  }
}

inline void ReleaseOwnerLock(uint64_t* word) { __atomic_store_n(word, uint64_t{0}, __ATOMIC_RELEASE); }

}  // namespace heaptally::agent
