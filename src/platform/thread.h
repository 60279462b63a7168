// What identifies the running thread without asking libc or the kernel, and what a hook needs of its registers.
#pragma once

#include <cstdint>

namespace heaptally::platform {

// The thread pointer (%fs:0 on x86-64, where the ABI stores the pointer to itself). Distinct among the threads that live
// at one moment; reused by later threads.
inline uint64_t ThreadPointer() {
  uint64_t pointer;
  __asm__("mov %%fs:0, %0" : "=r"(pointer));
  return pointer;
}

inline void CpuRelax() { __asm__ volatile("pause"); }

// The registers from which a stack can be unwound: pc is a return address (the next instruction after a call) unless
// pc_is_exact, which is the case for a frame that a signal interrupted.
struct Registers {
  uint64_t pc = 0;
  uint64_t sp = 0;
  uint64_t bp = 0;
  bool pc_is_exact = false;
};

}  // namespace heaptally::platform

// The caller's registers as they are right after the current function returns. Expands in a function that keeps a frame
// pointer (reading __builtin_frame_address(0) forces one), so it must stand in the hook's slow path itself, not in a
// function that it calls. On x86-64: [bp] is the caller's bp, [bp+8] the return address, bp+16 the caller's sp.
#define HT_CALLER_REGISTERS()                                                                     \
  (::heaptally::platform::Registers{reinterpret_cast<uint64_t*>(__builtin_frame_address(0))[1],   \
                                    reinterpret_cast<uint64_t>(__builtin_frame_address(0)) + 16,  \
                                    reinterpret_cast<uint64_t*>(__builtin_frame_address(0))[0], false})
