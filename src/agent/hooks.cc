// The exported functions: what the program calls instead of libc's malloc family.
//
// The fast path of an allocation is one load of the real function (null: not ready), one subtraction in TLS, one branch,
// and a jump to the real function. That of a release is a load, a look into the page filter, a branch and a jump. Sizes
// that are negative as signed numbers take the slow path by the same branch. The slow paths are functions of their own
// that are jumped to, so that the caller's registers can be read from their frame.
#include <cstddef>
#include <cstdint>

#include "agent/clock.h"
#include "agent/cold_calls.h"
#include "agent/hook_paths.h"
#include "agent/page_filter.h"
#include "agent/real_functions.h"
#include "agent/thread_name.h"
#include "base/branch.h"
#include "elf/symbols.h"
#include "platform/syscalls.h"

extern "C" {
extern const char _DYNAMIC[] __attribute__((visibility("hidden")));
int* __errno_location() __attribute__((weak));
}

namespace heaptally::agent {
namespace {

#define HT_ACQUIRE(name, parameters, arguments, requested_bytes)                                                       \
  HT_NOINLINE void* name##_slow parameters {                                                                           \
    return AcquireSlowly(HT_CALLER_REGISTERS(), requested_bytes, [&]() HT_LAMBDA_INLINE { return g_real.name arguments; }); \
  }                                                                                                                    \
  HT_NOINLINE void* name##_nesting parameters {                                                                        \
    return AcquireNesting(HT_CALLER_REGISTERS(), requested_bytes, [&]() HT_LAMBDA_INLINE { return g_pass_through.name arguments; }); \
  }
#define HT_MOVE(name, parameters, arguments, requested_bytes)                                                          \
  HT_NOINLINE void* name##_slow parameters {                                                                           \
    return MoveSlowly(HT_CALLER_REGISTERS(), pointer, requested_bytes, [&]() HT_LAMBDA_INLINE { return g_real.name arguments; }); \
  }                                                                                                                    \
  HT_NOINLINE void* name##_nesting parameters {                                                                        \
    const bool decide = Debit(requested_bytes) && !SparedByCharge(requested_bytes);                                                                 \
    return MoveNesting(HT_CALLER_REGISTERS(), pointer, requested_bytes, decide, [&]() HT_LAMBDA_INLINE { return g_pass_through.name arguments; }); \
  }
#define HT_RELEASE(name, parameters, arguments)                                                                        \
  HT_NOINLINE void name##_slow parameters {                                                                            \
    RecordRelease(HT_CALLER_REGISTERS(), pointer);                                                                     \
    g_real.name arguments;                                                                                             \
  }
#include "agent/malloc_family.def"

HT_NOINLINE int posix_memalign_slow(void** out, size_t alignment, size_t size) {
  int error = 0;
  AcquireSlowly(HT_CALLER_REGISTERS(), size, [&]() HT_LAMBDA_INLINE -> void* {
    error = g_real.posix_memalign(out, alignment, size);
    return error == 0 ? *out : nullptr;
  });
  return error;
}

HT_NOINLINE int posix_memalign_nesting(void** out, size_t alignment, size_t size) {
  int error = 0;
  AcquireNesting(HT_CALLER_REGISTERS(), size, [&]() HT_LAMBDA_INLINE -> void* {
    error = g_pass_through.posix_memalign(out, alignment, size);
    return error == 0 ? *out : nullptr;
  });
  return error;
}

int (*g_real_prctl)(int, unsigned long, unsigned long, unsigned long, unsigned long);

}  // namespace
}  // namespace heaptally::agent

extern "C" {

using heaptally::agent::Debit;
using heaptally::agent::g_hooks_open;
using heaptally::agent::g_real;
using heaptally::agent::MayBeRecorded;
using heaptally::agent::Product;
namespace cold = heaptally::agent::cold;

#define HT_ACQUIRE(name, parameters, arguments, requested_bytes)          \
  HT_EXPORT void* name parameters {                                       \
    auto* real = g_real.name;                                             \
    if (HT_UNLIKELY(real == nullptr)) {                                   \
      return g_hooks_open ? heaptally::agent::name##_nesting arguments : cold::name arguments; \
    }                                                                     \
    if (Debit(requested_bytes)) return heaptally::agent::name##_slow arguments; \
    return real arguments;                                                \
  }
#define HT_MOVE(name, parameters, arguments, requested_bytes)             \
  HT_EXPORT void* name parameters {                                       \
    auto* real = g_real.name;                                             \
    if (HT_UNLIKELY(real == nullptr)) {                                   \
      return g_hooks_open ? heaptally::agent::name##_nesting arguments : cold::name arguments; \
    }                                                                     \
    if (Debit(requested_bytes) | MayBeRecorded(pointer)) return heaptally::agent::name##_slow arguments; \
    return real arguments;                                                \
  }
#define HT_RELEASE(name, parameters, arguments)                           \
  HT_EXPORT void name parameters {                                        \
    auto* real = g_real.name;                                             \
    if (HT_UNLIKELY(real == nullptr)) return cold::name arguments;        \
    if (HT_UNLIKELY(MayBeRecorded(pointer))) return heaptally::agent::name##_slow arguments; \
    return real arguments;                                                \
  }
#include "agent/malloc_family.def"

HT_EXPORT int posix_memalign(void** out, size_t alignment, size_t size) {
  auto* real = g_real.posix_memalign;
  if (HT_UNLIKELY(real == nullptr)) {
    return g_hooks_open ? heaptally::agent::posix_memalign_nesting(out, alignment, size) : cold::posix_memalign(out, alignment, size);
  }
  if (Debit(size)) return heaptally::agent::posix_memalign_slow(out, alignment, size);
  return real(out, alignment, size);
}

HT_EXPORT size_t malloc_usable_size(void* pointer) {
  auto* real = g_real.malloc_usable_size;
  if (HT_UNLIKELY(real == nullptr)) return cold::malloc_usable_size(pointer);
  return real(pointer);
}

// Not of the family: a program that forbids itself the time stamp counter must not be killed by ours, nor one in a sandbox by
// a system call for a thread's name; and this is how a thread is named.
HT_EXPORT int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d) {
  constexpr int kPrSetName = 15, kPrSetSeccomp = 22, kPrSetTsc = 26, kPrSetNoNewPrivileges = 38;
  if (option == kPrSetSeccomp || option == kPrSetNoNewPrivileges) heaptally::agent::StopAskingForNames();
  constexpr unsigned long kPrTscSigsegv = 2, kSeccompStrict = 1;  // strict mode forbids the counter, too
  if ((option == kPrSetTsc && a == kPrTscSigsegv) || (option == kPrSetSeccomp && a == kSeccompStrict)) heaptally::agent::LeaveTsc();
  auto*& real = heaptally::agent::g_real_prctl;
  if (real == nullptr) {
    real = reinterpret_cast<int (*)(int, unsigned long, unsigned long, unsigned long, unsigned long)>(heaptally::elf::FindNext(_DYNAMIC, "prctl").address);
  }
  if (real != nullptr) {
    const int result = real(option, a, b, c, d);
    if (option == kPrSetName && result == 0 && g_hooks_open) heaptally::agent::NoteOwnName(reinterpret_cast<const char*>(a));
    return result;
  }
  const long result = heaptally::platform::Syscall(heaptally::platform::Call::kPrctl, option, static_cast<long>(a), static_cast<long>(b), static_cast<long>(c), static_cast<long>(d));
  if (result >= 0) return static_cast<int>(result);
  if (__errno_location != nullptr) *__errno_location() = static_cast<int>(-result);
  return -1;
}

}  // extern "C"
