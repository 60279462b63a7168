// Raw Linux system calls for code that runs inside the profiled process.
//
// Nothing here goes through libc: no errno is touched, no cancellation point is entered (pthread_cancel must not find
// one inside malloc), and no PLT slot is needed before the agent is relocated. Results are the kernel's: >= 0, or
// -errno.
#pragma once

#include <cstddef>
#include <cstdint>

#if !defined(__x86_64__)
#error "heaptally: only x86-64 is supported so far (src/platform holds what another architecture must provide)"
#endif

namespace heaptally::platform {

// Numbers from the kernel's x86-64 table (asm/unistd_64.h); the agent is built without that header on purpose, so that
// the list of calls that it may make stands here.
enum class Call : long {
  kRead = 0,
  kOpen = 2,
  kClose = 3,
  kFstat = 5,
  kMmap = 9,
  kMprotect = 10,
  kMunmap = 11,
  kBrk = 12,
  kRtSigprocmask = 14,
  kPread64 = 17,
  kAccess = 21,
  kSchedYield = 24,
  kMremap = 25,
  kMadvise = 28,
  kGetpid = 39,
  kExecve = 59,
  kKill = 62,
  kFtruncate = 77,
  kMkdir = 83,
  kUnlink = 87,
  kUnlinkat = 263,
  kReadlink = 89,
  kGetuid = 102,
  kGetgid = 104,
  kGeteuid = 107,
  kGetppid = 110,
  kFstatfs = 138,
  kPrctl = 157,
  kGettid = 186,
  kClockGettime = 228,
  kOpenat = 257,
  kNewfstatat = 262,
  kFallocate = 285,
  kPrlimit64 = 302,
  kGetrandom = 318,
  kExecveat = 322,
};

inline long Syscall(Call number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(static_cast<long>(number)), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

template <typename Pointer>
long AsLong(Pointer* pointer) {
  return reinterpret_cast<long>(pointer);
}

// Is [address, address + 8) readable? Asks the kernel to read a signal set from there with a `how` that it refuses:
// EINVAL when the bytes could be read, EFAULT when not. No state changes. About 0.1 to 0.35 us. rt_sigprocmask is a
// call that libc itself makes all the time, so sandboxes allow it (mincore and process_vm_readv are refused by some).
inline bool IsReadable(uint64_t address) {
  constexpr long kBadHow = 0x7ead;
  constexpr long kEinval = 22;
  return Syscall(Call::kRtSigprocmask, kBadHow, static_cast<long>(address), 0, 8) == -kEinval;
}

inline constexpr uint64_t kPageBytes = 4096;

}  // namespace heaptally::platform
