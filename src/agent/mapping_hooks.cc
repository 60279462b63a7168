// The exported functions that get memory from the kernel, and give it back.
//
// Each calls the next definition of itself, with all that it was given, and then notes what the call did. A call that failed
// leaves no trace, and errno is as the real function left it. Before the agent is ready (and, for a moment, before it is
// relocated) the kernel is asked directly, and nothing is noted.
//
// The break's ranges are in bytes, since sbrk is; all others are in whole pages.
#include <cstddef>
#include <cstdint>

#include "agent/mapped_tally.h"
#include "agent/mapping_events.h"
#include "agent/real_functions.h"
#include "base/branch.h"
#include "platform/syscalls.h"
#include "platform/thread.h"

extern "C" int* __errno_location() __attribute__((weak));

namespace heaptally::agent {
namespace {

using platform::AsLong;
using platform::Call;
using platform::Syscall;

void* const kFailed = reinterpret_cast<void*>(-1);

// A result of the kernel's as libc's functions give it.
void* AsPointer(long result) {
  if (result >= 0 || result < -4095) return reinterpret_cast<void*>(result);
  if (__errno_location != nullptr) *__errno_location() = static_cast<int>(-result);
  return kFailed;
}

void* SetBreak(uint64_t wanted) {
  constexpr long kNoMemory = -12;
  const auto now = static_cast<uint64_t>(Syscall(Call::kBrk, static_cast<long>(wanted)));
  return now < wanted ? AsPointer(kNoMemory) : reinterpret_cast<void*>(now);
}

uint64_t WholePages(uint64_t bytes) { return (bytes + platform::kPageBytes - 1) & ~(platform::kPageBytes - 1); }

// Where the program break is, without a word to errno.
uint64_t Break() { return static_cast<uint64_t>(Syscall(Call::kBrk, 0)); }

void NoteBreak(const platform::Registers& caller, uint64_t before, uint64_t after, uint64_t newest) {
  if (after > before) RecordBreak(caller, before, after);
  if (after < before) RecordUnmapping(caller, after, before, newest);
}

}  // namespace
}  // namespace heaptally::agent

extern "C" {

using heaptally::agent::AsPointer;
using heaptally::agent::g_mappings;
using heaptally::agent::kFailed;
using heaptally::platform::AsLong;
using heaptally::platform::Call;
using heaptally::platform::Syscall;
namespace agent = heaptally::agent;

HT_EXPORT void* mmap(void* address, size_t bytes, int protection, int flags, int file, long offset) {
  auto* real = g_mappings.mmap;
  if (HT_UNLIKELY(real == nullptr)) {
    return AsPointer(Syscall(Call::kMmap, AsLong(address), static_cast<long>(bytes), protection, flags, file, offset));
  }
  void* got = real(address, bytes, protection, flags, file, offset);
  if (got != kFailed) agent::RecordMapping(HT_CALLER_REGISTERS(), reinterpret_cast<uint64_t>(got), bytes);
  return got;
}

HT_EXPORT void* mmap64(void* address, size_t bytes, int protection, int flags, int file, long offset) {
  auto* real = g_mappings.mmap64 != nullptr ? g_mappings.mmap64 : g_mappings.mmap;
  if (HT_UNLIKELY(real == nullptr)) {
    return AsPointer(Syscall(Call::kMmap, AsLong(address), static_cast<long>(bytes), protection, flags, file, offset));
  }
  void* got = real(address, bytes, protection, flags, file, offset);
  if (got != kFailed) agent::RecordMapping(HT_CALLER_REGISTERS(), reinterpret_cast<uint64_t>(got), bytes);
  return got;
}

HT_EXPORT int munmap(void* address, size_t bytes) {
  auto* real = g_mappings.munmap;
  if (HT_UNLIKELY(real == nullptr)) {
    return AsPointer(Syscall(Call::kMunmap, AsLong(address), static_cast<long>(bytes))) == kFailed ? -1 : 0;
  }
  const uint64_t newest = agent::mapped::Stamp();
  const int result = real(address, bytes);
  if (result == 0) {
    const auto start = reinterpret_cast<uint64_t>(address);
    agent::RecordUnmapping(HT_CALLER_REGISTERS(), start, start + agent::WholePages(bytes), newest);
  }
  return result;
}

// The fifth argument is there only with some flags; as a register it is there always, and is passed on as it is.
HT_EXPORT void* mremap(void* old, size_t old_bytes, size_t new_bytes, int flags, void* wanted) {
  auto* real = g_mappings.mremap;
  if (HT_UNLIKELY(real == nullptr)) {
    return AsPointer(Syscall(Call::kMremap, AsLong(old), static_cast<long>(old_bytes), static_cast<long>(new_bytes), flags, AsLong(wanted)));
  }
  const uint64_t newest = agent::mapped::Stamp();
  void* got = real(old, old_bytes, new_bytes, flags, wanted);
  if (got != kFailed) {
    agent::RecordRemapping(HT_CALLER_REGISTERS(), {reinterpret_cast<uint64_t>(old), old_bytes, reinterpret_cast<uint64_t>(got), new_bytes, flags, newest});
  }
  return got;
}

HT_EXPORT int brk(void* end) {
  auto* real = g_mappings.brk;
  if (HT_UNLIKELY(real == nullptr)) return agent::SetBreak(reinterpret_cast<uint64_t>(end)) == kFailed ? -1 : 0;
  const uint64_t newest = agent::mapped::Stamp();
  const uint64_t before = agent::Break();
  const int result = real(end);
  if (result == 0) agent::NoteBreak(HT_CALLER_REGISTERS(), before, agent::Break(), newest);
  return result;
}

HT_EXPORT void* sbrk(long increment) {
  auto* real = g_mappings.sbrk;
  if (HT_UNLIKELY(real == nullptr)) {
    const uint64_t before = agent::Break();
    if (increment != 0 && agent::SetBreak(before + static_cast<uint64_t>(increment)) == kFailed) return kFailed;
    return reinterpret_cast<void*>(before);
  }
  const uint64_t newest = agent::mapped::Stamp();
  void* got = real(increment);
  if (got != kFailed) {
    const auto before = reinterpret_cast<uint64_t>(got);
    agent::NoteBreak(HT_CALLER_REGISTERS(), before, before + static_cast<uint64_t>(increment), newest);
  }
  return got;
}

}  // extern "C"
