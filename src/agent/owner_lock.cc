#include "agent/owner_lock.h"

#include "agent/guard.h"
#include "unwind/unwinder.h"

namespace heaptally::agent {
namespace {

constexpr uint32_t kMaxFramesBetween = 4096;

}  // namespace

HT_COLD bool IsHeldFurtherUp(uint64_t held_at) {
  platform::Registers at = HT_CALLER_REGISTERS();
  bool interrupted = false;  // only what a signal interrupted can still hold it: no call of ours leads back to us
  for (uint32_t depth = 0; depth < kMaxFramesBetween; ++depth) {
    const platform::Registers inner = at;
    unwind::End end;
    if (!unwind::Step(&at, &t_state.bounds, &end)) return end != unwind::End::kComplete;  // not known: as if it were
    interrupted = interrupted || inner.pc_is_exact;
    // The frame of `inner` reaches from its stack pointer to its caller's.
    if (interrupted && InAgent(inner.pc) && held_at >= inner.sp && held_at < at.sp) return true;
  }
  return true;
}

}  // namespace heaptally::agent
