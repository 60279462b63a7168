#include "agent/guard.h"

#include "agent/real_functions.h"
#include "platform/syscalls.h"
#include "unwind/unwinder.h"

extern "C" {  // the linker's: the agent's own first and last address
extern const char __ehdr_start __attribute__((visibility("hidden")));
extern const char _end __attribute__((visibility("hidden")));
}

namespace heaptally::agent {
namespace {

constexpr uint32_t kMaxInnerFrames = 64;  // deepest chain inside an allocator that is followed
constexpr uint64_t kMaxOpaqueDepth = 8192;
constexpr uint64_t kMaxHookFrame = 1024;  // bytes; the slow paths' frames are a few hundred

// Is the mark within `most` bytes above `sp`, and does it stand? With kMaxHookFrame: is the frame that is about to be left with stack pointer `sp` the one that holds the mark?
bool HoldsMark(uint64_t sp, uint64_t mark, uint64_t most) {
  if (mark < sp || mark - sp > most) return false;
  return *reinterpret_cast<volatile uint64_t*>(mark) == Guard::CookieOf(reinterpret_cast<void*>(mark));
}

}  // namespace

bool InAgent(uint64_t pc) { return pc >= reinterpret_cast<uint64_t>(&__ehdr_start) && pc < reinterpret_cast<uint64_t>(&_end); }

bool InDefiner(uint64_t pc) { return pc - 1 >= g_definer.text_start && pc - 1 < g_definer.text_end; }

bool IsNestedSlow(const platform::Registers& caller) {
  const uint64_t mark = t_state.guard_sp;
  if (caller.sp > mark) {
    // From further up the same stack: the hook that set it was left by a jump. On another stack it may still be running.
    const unwind::StackBounds& bounds = t_state.bounds;
    const bool same_stack = mark >= bounds.proven_low && mark < bounds.high && caller.sp >= bounds.proven_low && caller.sp < bounds.high;
    if (same_stack) t_state.guard_sp = 0;
    return false;
  }
  platform::Registers at = caller;
  for (uint32_t depth = 0; depth < kMaxInnerFrames; ++depth) {
    if (at.pc_is_exact) return false;
    // A real function that ends in a jump to another leaves no frame of its own, so the first may be the hook's already.
    if (InAgent(at.pc)) return HoldsMark(at.sp, mark, kMaxHookFrame);
    if (!InDefiner(at.pc)) return false;
    unwind::End end;
    if (!unwind::Step(&at, &t_state.bounds, &end)) {
      // A libc without unwind information (musl): what is left is that the call comes from the definer, from just below
      // the hook's frame, whose mark stands.
      return end == unwind::End::kNoRule && HoldsMark(at.sp, mark, kMaxOpaqueDepth);
    }
    if (at.sp > mark) return false;
  }
  return false;
}

}  // namespace heaptally::agent
