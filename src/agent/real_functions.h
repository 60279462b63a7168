// The functions that stand behind the hooks: the next definition of each in link-map order, or a substitute built from
// the others where this libc has none.
//
// A pointer in g_real is null until the agent is ready: hooks test it first, with a rip-relative load that is right even
// before the agent is relocated, and take the cold way (cold_calls.h) when it is null. It stays null for ever for a function
// whose real one calls another hook (glibc's reallocarray calls realloc, musl's calloc calls malloc): such calls always take
// the slow path, under the guard that hides the inner call.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heaptally::agent {

struct RealFunctions {
#define HT_ACQUIRE(name, parameters, arguments, requested_bytes) void*(*name) parameters;
#define HT_MOVE(name, parameters, arguments, requested_bytes) void*(*name) parameters;
#define HT_RELEASE(name, parameters, arguments) void(*name) parameters;
#define HT_OTHER(name, return_type, parameters, arguments) return_type(*name) parameters;
#include "agent/malloc_family.def"
};

extern RealFunctions g_real __attribute__((visibility("hidden")));         // what the hooks look at first
extern RealFunctions g_pass_through __attribute__((visibility("hidden")));  // every real function, once resolved

// True once OpenHooks() is through: a null entry of g_real then means "always slow".
extern bool g_hooks_open __attribute__((visibility("hidden")));

struct Definer {
  uint64_t text_start = 0;  // executable segments of the object that defines the real malloc
  uint64_t text_end = 0;
  bool missing = false;     // no malloc behind us at all
  bool interposer_before = false;
  bool is_libc = false;
};
extern Definer g_definer __attribute__((visibility("hidden")));

// What stands behind the mapping hooks (mapping_hooks.cc); null: none, or not looked up yet, then the kernel is asked.
struct RealMappings {
  void* (*mmap)(void* address, size_t bytes, int protection, int flags, int file, long offset);
  void* (*mmap64)(void* address, size_t bytes, int protection, int flags, int file, long offset);
  int (*munmap)(void* address, size_t bytes);
  void* (*mremap)(void* old, size_t old_bytes, size_t new_bytes, int flags, ...);
  int (*brk)(void* end);
  void* (*sbrk)(long increment);
  uint64_t text_start;  // of an object that is not libc and defines mmap: what it calls of these itself is not counted
  uint64_t text_end;
};
extern RealMappings g_mappings __attribute__((visibility("hidden")));

// Finds the real functions (g_pass_through, g_definer). No libc, no lock, no allocation. Does not open the hooks.
void ResolveRealFunctions();

// Opens the hooks: copies into g_real what may be recorded. `arena_in_use`: some blocks came from the start-up arena, so
// releases must look there first.
void OpenHooks(bool arena_in_use);

// count * size, UINT64_MAX on overflow.
inline uint64_t Product(size_t count, size_t size) {
  size_t product;
  return __builtin_mul_overflow(count, size, &product) ? UINT64_MAX : product;
}

void SetErrnoNoMemory();

}  // namespace heaptally::agent
