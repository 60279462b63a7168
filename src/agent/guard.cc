#include "agent/guard.h"

#include "agent/real_functions.h"
#include "platform/syscalls.h"
#include "unwind/unwinder.h"

namespace heaptally::agent {
namespace {

constexpr uint32_t kMaxInnerFrames = 64;  // deepest chain inside an allocator that is followed

bool InDefiner(uint64_t pc) { return pc - 1 >= g_definer.text_start && pc - 1 < g_definer.text_end; }

}  // namespace

bool IsNestedSlow(const platform::Registers& caller) {
  if (!InDefiner(caller.pc)) return false;
  const uint64_t mark = t_state.guard_sp;
  if (caller.sp >= mark) {
    // From further up the same stack: the hook that set it was left by a jump. On another stack it may still be running.
    const unwind::StackBounds& bounds = t_state.bounds;
    const bool same_stack = mark >= bounds.proven_low && mark < bounds.high && caller.sp >= bounds.proven_low && caller.sp < bounds.high;
    if (same_stack) t_state.guard_sp = 0;
    return false;
  }
  platform::Registers at = caller;
  for (uint32_t depth = 0; depth < kMaxInnerFrames; ++depth) {
    unwind::End end;
    if (at.pc_is_exact || !InDefiner(at.pc)) return false;
    if (!unwind::Step(&at, &t_state.bounds, &end)) return false;
    if (at.sp > mark) {
      // `at` is the first frame above the mark's: the frame before it was the hook's. It was reached from the definer alone.
      return false;
    }
    if (!at.pc_is_exact && !InDefiner(at.pc)) {
      // The first frame outside the definer: nested iff it is the hook's own, whose mark lies just above its stack pointer.
      if (mark < at.sp || mark - at.sp > 1024) return false;
      return *reinterpret_cast<volatile uint64_t*>(mark) == Guard::CookieOf(reinterpret_cast<void*>(mark));
    }
  }
  return false;
}

}  // namespace heaptally::agent
