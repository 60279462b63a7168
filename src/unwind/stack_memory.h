// Which cells of a stack may be read: a wrong rule, or a register that somebody trashed, must not make the walk fault.
//
// On the stack that the thread was born with, everything from a page that was once seen readable up to the stack's end
// stays readable while the thread runs: one range check a cell. On any other stack (coroutine, sigaltstack, split)
// there is no known end; each page is probed (one system call) before its first cell is read, and only the last proven
// page is remembered, for one walk.
//
// The end of the born stack is the thread pointer (libc puts the thread's control block just above its stack) or, for
// the main thread, the end of the kernel's initial stack. Between it and sp every page is probed once per thread;
// `proven_low` goes down as deeper stack pointers are seen.
//
// Cells down to 128 bytes below sp (the ABI's red zone) count as well: in an epilogue, the rule for rbp still names the
// slot from which it has just been popped, and the value is still there.
//
// Limits: a thread whose creator gave it a stack without a guard page, with a coroutine's stack right below it, would
// take the two for one; unmapping that coroutine's stack *and* a wrong rule are needed to make a walk fault.
#pragma once

#include <cstdint>

#include "base/branch.h"
#include "unwind/unwinder.h"

namespace heaptally::unwind {

// Learns where the main thread's stack ends. Called once, before the first StackMemory, by any thread.
void LearnMainStack();

// The load of a stack cell, of any alignment. Written in assembly, because the cell belongs to no object that the
// compiler knows: a sanitizer would find frames' red zones and other threads' variables.
HT_ALWAYS_INLINE uint64_t LoadCell(uint64_t cell) {
  uint64_t value;
  __asm__ volatile("mov %1, %0" : "=r"(value) : "m"(*reinterpret_cast<const uint64_t*>(cell)));
  return value;
}

class StackMemory {
 public:
  explicit StackMemory(StackBounds* bounds) : bounds_(bounds) {}

  // Turns to the stack that sp points into. Must be called first, and again whenever the stack may have been switched.
  HT_ALWAYS_INLINE void Enter(uint64_t sp) {
    if (HT_LIKELY(sp >= bounds_->proven_low + kRedZoneBytes && sp < bounds_->high && sp % 8 == 0)) {
      low_ = sp - kRedZoneBytes;
      length_ = bounds_->high - low_;
      known_ = true;
    } else {
      EnterSlow(sp);
    }
  }

  // True iff the cell is known to be readable, without asking the kernel.
  HT_ALWAYS_INLINE bool Covers(uint64_t cell) const { return HT_LIKELY(cell - low_ < length_); }

  // True iff the thread was born with the stack that was entered, and cells from its sp up to `high` may be read.
  bool IsBornStack() const { return known_ && length_ != 0; }

  // Reads one cell if that is safe. REQUIRES: cell % 8 == 0.
  HT_ALWAYS_INLINE bool Read(uint64_t cell, uint64_t* value) {
    if (!Covers(cell) && !ProvePage(cell)) return false;
    *value = LoadCell(cell);
    return true;
  }

 private:
  static constexpr uint64_t kRedZoneBytes = 128;

  void EnterSlow(uint64_t sp);
  bool ProvePage(uint64_t cell);

  StackBounds* bounds_;
  uint64_t low_ = 0;
  uint64_t length_ = 0;  // cells in [low_, low_ + length_) may be read
  bool known_ = true;
};

}  // namespace heaptally::unwind
