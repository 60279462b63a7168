#include "unwind/stack_memory.h"

#include <elf.h>

#include <atomic>

#include "elf/symbols.h"
#include "platform/syscalls.h"
#include "platform/thread.h"

namespace heaptally::unwind {
namespace {

constexpr uint64_t kPageMask = ~(platform::kPageBytes - 1);
constexpr uint64_t kMaxProbedBytes = 4096 * platform::kPageBytes;  // 16 MiB in one call, about 1 ms

// Written once by LearnMainStack, before any other thread can read them.
uint64_t main_stack_high;
uint64_t main_stack_low;
uint64_t main_thread_pointer;

// The end of the stack that the calling thread was born with; 0 if sp can't lie on it.
uint64_t BornStackHigh(uint64_t sp) {
  const uint64_t thread = platform::ThreadPointer();
  const bool is_main = main_thread_pointer != 0 ? thread == main_thread_pointer : sp > thread;
  const uint64_t high = is_main ? main_stack_high : thread;
  return sp < high ? high : 0;
}

// The writer may be interrupted by a handler that does the same: each of the two fields is valid at every moment,
// `high` only once proven_low is.
void Publish(StackBounds* bounds, uint64_t low, uint64_t high) {
  __atomic_store_n(&bounds->proven_low, low, __ATOMIC_RELAXED);
  std::atomic_signal_fence(std::memory_order_release);
  __atomic_store_n(&bounds->high, high, __ATOMIC_RELAXED);
}

// Extends what is proven downwards until it covers sp. What was reached is kept even if an unreadable page stands
// before sp, so that the same pages are not probed again.
bool ProveDownTo(uint64_t sp, StackBounds* bounds) {
  const uint64_t high = bounds->high != 0 ? bounds->high : BornStackHigh(sp);
  if (high == 0 || sp >= high) return false;
  if (high == main_stack_high && sp >= main_stack_low) {
    Publish(bounds, main_stack_low, high);
    return true;
  }
  uint64_t low = bounds->high != 0 ? bounds->proven_low : high & kPageMask;
  if (low > sp && low - sp > kMaxProbedBytes) return false;
  while (low > sp && platform::IsReadable(low - platform::kPageBytes)) low -= platform::kPageBytes;
  Publish(bounds, low, high);
  return low <= sp;
}

}  // namespace

void LearnMainStack() {
  // The kernel puts the program's file name at the very top of the initial stack; AT_RANDOM's bytes are below it.
  uint64_t top = elf::AuxiliaryValue(AT_EXECFN);
  if (top == 0) top = elf::AuxiliaryValue(AT_RANDOM);
  if (top != 0) main_stack_high = (top & kPageMask) + platform::kPageBytes;
  // Below it the kernel keeps at least 128 MiB free for the stack to grow into, up to its limit: what lies between a live
  // stack pointer there and the end is one mapping, so nothing needs to be probed (a sandbox may refuse every call).
  constexpr long kRlimitStack = 3;
  constexpr uint64_t kMostAssumed = 64u << 20;
  uint64_t limits[2] = {0, 0};
  platform::Syscall(platform::Call::kPrlimit64, 0, kRlimitStack, 0, platform::AsLong(limits));
  const uint64_t assumed = limits[0] < kMostAssumed ? limits[0] : kMostAssumed;
  main_stack_low = main_stack_high > assumed ? (main_stack_high - assumed) & kPageMask : main_stack_high;
  const bool on_main_thread = platform::Syscall(platform::Call::kGetpid) == platform::Syscall(platform::Call::kGettid);
  main_thread_pointer = on_main_thread ? platform::ThreadPointer() : 0;
}

void StackMemory::EnterSlow(uint64_t sp) {
  low_ = sp;
  length_ = 0;
  known_ = true;
  if (sp % 8 != 0) return;  // nothing may be read
  if (!ProveDownTo(sp, bounds_)) {
    known_ = false;
    return;
  }
  ProveDownTo(sp - kRedZoneBytes, bounds_);  // may fail: sp stands just above the guard page
  low_ = sp - kRedZoneBytes >= bounds_->proven_low ? sp - kRedZoneBytes : bounds_->proven_low;
  length_ = bounds_->high - low_;
}

bool StackMemory::ProvePage(uint64_t cell) {
  if (known_ || !platform::IsReadable(cell)) return false;
  low_ = cell & kPageMask;
  length_ = platform::kPageBytes;
  return true;
}

}  // namespace heaptally::unwind
