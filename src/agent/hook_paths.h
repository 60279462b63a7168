// What every hook is made of: the debit of the fast path, and the slow paths around the real call. The slow paths take the
// caller's registers, so they are expanded in a function of the hook's own that was jumped to.
#pragma once

#include <cstdint>

#include "agent/draws.h"
#include "agent/events.h"
#include "agent/guard.h"
#include "agent/page_filter.h"
#include "agent/thread_state.h"
#include "base/branch.h"
#include "platform/thread.h"

#define HT_LAMBDA_INLINE __attribute__((always_inline))

namespace heaptally::agent {

// Debits size + 1. True: take the slow path.
HT_ALWAYS_INLINE bool Debit(uint64_t size) {
  const int64_t left = static_cast<int64_t>(static_cast<uint64_t>(t_state.countdown) - (size + 1));
  t_state.countdown = left;
  return HT_UNLIKELY((left | static_cast<int64_t>(size)) < 0);
}

template <typename RealCall>
HT_ALWAYS_INLINE void* AcquireSlowly(const platform::Registers& caller, uint64_t size, RealCall real_call) {
  if (HT_LIKELY(IsPlainExactEvent(size))) {
    const uint32_t epoch = g_epoch;
    Guard guard;
    guard.Enter();
    void* block = real_call();
    guard.Leave();
    if (HT_LIKELY(block != nullptr)) RecordExact(epoch, caller, block, size);
    return block;
  }
  if (SparedByCharge(size)) return real_call();
  const Intent intent = DecideAcquisition(caller, size);
  if (!intent.record) return real_call();
  Guard guard;
  guard.Enter();
  void* block = real_call();
  guard.Leave();
  if (block != nullptr) RecordAcquisition(intent, caller, block, size);
  return block;
}

// For a real function that calls another hook: the guard stands around every call, and the fast path's debit is done here.
template <typename RealCall>
HT_ALWAYS_INLINE void* AcquireNesting(const platform::Registers& caller, uint64_t size, RealCall real_call) {
  const Intent intent = Debit(size) && !SparedByCharge(size) ? DecideAcquisition(caller, size) : Intent{};
  Guard guard;
  guard.Enter();
  void* block = real_call();
  guard.Leave();
  if (intent.record && block != nullptr) RecordAcquisition(intent, caller, block, size);
  return block;
}

template <typename RealCall>
HT_ALWAYS_INLINE void* MoveNesting(const platform::Registers& caller, void* pointer, uint64_t size, bool decide, RealCall real_call) {
  Move move;
  BeginMove(caller, pointer, size, decide, &move);
  Guard guard;
  guard.Enter();
  void* block = real_call();
  guard.Leave();
  EndMove(move, caller, pointer, block, size);
  return block;
}

template <typename RealCall>
HT_ALWAYS_INLINE void* MoveSlowly(const platform::Registers& caller, void* pointer, uint64_t size, RealCall real_call) {
  const bool decide = !SparedByCharge(size);
  if (!decide && !MayBeRecorded(pointer)) return real_call();
  return MoveNesting(caller, pointer, size, decide, real_call);
}

}  // namespace heaptally::agent
