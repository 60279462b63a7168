// Stack capture inside the profiled process: an unwinder over .eh_frame that allocates nothing, takes no lock, and
// never reads outside of memory that is known to be readable.
//
// Rules (how to get from a pc to its caller) are found lazily and cached, by pc, in one lock-free table for all
// threads. A warm frame costs a few ns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "platform/thread.h"

namespace heaptally::unwind {

inline constexpr uint32_t kMaxFrames = 512;

// Frames are return addresses (look up pc - 1), but a frame that a signal interrupted holds the exact pc: such frames
// carry this bit (user addresses never use it).
inline constexpr uint64_t kExactPcBit = 1ull << 63;

enum class End : uint8_t {
  kComplete,    // reached the outermost frame: the ABI's "return address undefined", or pc 0
  kDepthLimit,  // `capacity` frames were not enough
  kNoRule,      // a pc without unwind information (JIT code, assembly): truncated
  kBadMemory,   // the next cell was not provably readable, or the stack did not go upwards: truncated
};

struct Result {
  uint32_t count = 0;
  End end = End::kComplete;
};

// Keeps a thread's last walk, so that frames that are still the same need not be walked again. Opaque (walk_memo.h);
// zeroed memory is an empty one. It must be zeroed anew when another thread gets it.
struct WalkMemo;
inline constexpr size_t kWalkMemoBytes = 512 * 32 + 64;

// `memory` is zeroed, aligned to 8 (better 64) and has kWalkMemoBytes.
inline WalkMemo* MemoInZeroedMemory(void* memory) { return static_cast<WalkMemo*>(memory); }

// What is known about the stack that the calling thread runs on. One per thread, zero-initialised, kept by the caller
// (in TLS). [proven_low, high) is readable and stays so while the thread runs.
struct StackBounds {
  uint64_t proven_low = 0;
  uint64_t high = 0;         // 0: not known yet
  WalkMemo* memo = nullptr;  // the thread's own, which Unwind() uses; nullptr: every frame is walked
};

// One-time, single-threaded: allocates the pc cache by mmap (private, zero-initialised; bytes are a power of two) and
// learns the end of the main thread's stack. Returns false when the mapping fails: Unwind() then works uncached.
bool Initialize(size_t cache_bytes = 1u << 20);

// Writes the frames of the stack that `start` describes, innermost (start.pc itself) first. Async-signal-safe and
// thread-safe. Uses less than 768 bytes of stack below the call, whatever it meets.
Result Unwind(const platform::Registers& start, StackBounds* bounds, uint64_t* frames, uint32_t capacity);

// Continues a walk that ended with kDepthLimit: *registers is where the walk stands (in) and ends (out).
Result UnwindFrom(platform::Registers* registers, StackBounds* bounds, uint64_t* frames, uint32_t capacity);

// One step outwards. Returns false at the end of the stack or where it is truncated: *end says which, and *registers is
// unchanged.
bool Step(platform::Registers* registers, StackBounds* bounds, End* end);

// Forgets every cached rule: called when a module that was in use has been unloaded or replaced.
void ForgetRules();

// Counters for tests and benches: rule lookups that missed the cache, since Initialize.
uint64_t RuleMisses();

}  // namespace heaptally::unwind
