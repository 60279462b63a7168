// pthread_setname_np is hooked to learn the names of threads: libc's own sets the name of the calling thread by a call of
// prctl that no hook sees, and that of another one through /proc.
#include <cstdint>

#include "agent/real_functions.h"
#include "agent/thread_name.h"
#include "base/branch.h"
#include "elf/symbols.h"
#include "platform/syscalls.h"
#include "platform/thread.h"

extern "C" {
extern const char _DYNAMIC[] __attribute__((visibility("hidden")));

// glibc's and musl's pthread_t is the thread pointer. Returns 0 or an errno.
HT_EXPORT int pthread_setname_np(unsigned long thread, const char* name) {
  using namespace heaptally;
  static int (*real)(unsigned long, const char*);
  if (real == nullptr) {
    real = reinterpret_cast<int (*)(unsigned long, const char*)>(elf::FindNext(_DYNAMIC, "pthread_setname_np").address);
  }
  const bool self = thread == platform::ThreadPointer();
  int error = 38;  // ENOSYS: a libc that has no such function
  if (real != nullptr) {
    error = real(thread, name);
  } else if (self) {
    constexpr long kPrSetName = 15;
    error = static_cast<int>(-platform::Syscall(platform::Call::kPrctl, kPrSetName, platform::AsLong(name)));
  }
  if (error != 0 || !agent::g_hooks_open) return error;
  self ? agent::NoteOwnName(name) : agent::NoteNameOf(thread, name);
  return error;
}

}  // extern "C"
