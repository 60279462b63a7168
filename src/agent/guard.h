// Nested calls count once: what the real function calls of the family while it serves us is its own business.
//
// The agent calls no hook itself, so the guard stands only around real calls. The slow path leaves its mark on its own
// stack frame and in TLS. A call is nested iff a guard is set and every frame from the call up to the one with that mark is
// code of the object that defines the real malloc, without a signal frame in between. Any simpler rule is wrong in one direction: by
// stack pointer alone, a siglongjmp out of a handler or a switch of coroutines blinds the thread or counts twice.
#pragma once

#include <cstdint>

#include "agent/thread_state.h"
#include "base/branch.h"
#include "platform/thread.h"

namespace heaptally::agent {

class Guard {
 public:
  HT_ALWAYS_INLINE void Enter() {
    previous_ = t_state.guard_sp;
    cookie_ = CookieOf(this);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t_state.guard_sp = reinterpret_cast<uint64_t>(this);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
  HT_ALWAYS_INLINE void Leave() {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t_state.guard_sp = previous_;
    cookie_ = 0;
  }
  static uint64_t CookieOf(const volatile void* frame) { return reinterpret_cast<uint64_t>(frame) * 0x9e3779b97f4a7c15ull ^ 0x5bd1e995; }

 private:
  volatile uint64_t cookie_;
  uint64_t previous_;
};

// Is this the agent's own code?
bool InAgent(uint64_t pc);

// Is the return address `pc` in the object that defines the real malloc?
bool InDefiner(uint64_t pc);

// The slow part: asked only while a guard is set.
bool IsNestedSlow(const platform::Registers& caller);

HT_ALWAYS_INLINE bool IsNested(const platform::Registers& caller) { return HT_UNLIKELY(t_state.guard_sp != 0) && IsNestedSlow(caller); }

}  // namespace heaptally::agent
