#include "agent/cold_calls.h"

#include "agent/real_functions.h"
#include "agent/startup_arena.h"
#include "base/branch.h"
#include "platform/syscalls.h"

extern "C" void* memset(void*, int, size_t);
extern "C" void* memcpy(void*, const void*, size_t);

namespace heaptally::agent::cold {

uint64_t g_calls;

namespace {

constexpr int kInvalidArgument = 22;  // EINVAL
constexpr int kOutOfMemory = 12;      // ENOMEM

bool IsPowerOfTwo(size_t value) { return value != 0 && (value & (value - 1)) == 0; }

void* Move(void* pointer, size_t size) {
  if (pointer == nullptr) return ArenaAllocate(size, 16);
  if (!ArenaOwns(pointer)) {
    // A block of the real allocator before the hooks are open: only possible where real functions are known.
    return g_pass_through.realloc != nullptr ? g_pass_through.realloc(pointer, size) : nullptr;
  }
  // Out of the arena into the real heap as soon as there is one.
  void* block = g_pass_through.malloc != nullptr && g_real.free != nullptr ? g_pass_through.malloc(size) : ArenaAllocate(size, 16);
  if (block == nullptr) return nullptr;
  const size_t old_size = ArenaBlockSize(pointer);
  memcpy(block, pointer, old_size < size ? old_size : size);
  return block;
}

}  // namespace

void* malloc(size_t size) {
  ++g_calls;
  if (g_pass_through.malloc != nullptr) return g_pass_through.malloc(size);
  return ArenaAllocate(size, 16);
}

void* calloc(size_t count, size_t size) {
  ++g_calls;
  if (g_pass_through.calloc != nullptr) return g_pass_through.calloc(count, size);
  const uint64_t bytes = Product(count, size);
  if (bytes == UINT64_MAX) return nullptr;
  return ArenaAllocate(bytes, 16);  // never reused, so still zero
}

void* aligned_alloc(size_t alignment, size_t size) {
  ++g_calls;
  if (g_pass_through.aligned_alloc != nullptr) return g_pass_through.aligned_alloc(alignment, size);
  return IsPowerOfTwo(alignment) ? ArenaAllocate(size, alignment) : nullptr;
}

void* memalign(size_t alignment, size_t size) {
  ++g_calls;
  if (g_pass_through.memalign != nullptr) return g_pass_through.memalign(alignment, size);
  return IsPowerOfTwo(alignment) ? ArenaAllocate(size, alignment) : nullptr;
}

void* valloc(size_t size) {
  ++g_calls;
  if (g_pass_through.valloc != nullptr) return g_pass_through.valloc(size);
  return ArenaAllocate(size, platform::kPageBytes);
}

void* pvalloc(size_t size) {
  ++g_calls;
  if (g_pass_through.pvalloc != nullptr) return g_pass_through.pvalloc(size);
  return ArenaAllocate((size + platform::kPageBytes - 1) & ~(platform::kPageBytes - 1), platform::kPageBytes);
}

void* realloc(void* pointer, size_t size) {
  ++g_calls;
  if (g_pass_through.realloc != nullptr && !ArenaOwns(pointer)) return g_pass_through.realloc(pointer, size);
  return Move(pointer, size);
}

void* reallocarray(void* pointer, size_t count, size_t size) {
  ++g_calls;
  if (g_pass_through.reallocarray != nullptr && !ArenaOwns(pointer)) return g_pass_through.reallocarray(pointer, count, size);
  const uint64_t bytes = Product(count, size);
  return bytes == UINT64_MAX ? nullptr : Move(pointer, bytes);
}

void free(void* pointer) {
  ++g_calls;
  if (g_pass_through.free != nullptr && pointer != nullptr && !ArenaOwns(pointer)) g_pass_through.free(pointer);
}

void cfree(void* pointer) { free(pointer); }
void free_sized(void* pointer, size_t) { free(pointer); }
void free_aligned_sized(void* pointer, size_t, size_t) { free(pointer); }

int posix_memalign(void** out, size_t alignment, size_t size) {
  ++g_calls;
  if (g_pass_through.posix_memalign != nullptr) return g_pass_through.posix_memalign(out, alignment, size);
  if (!IsPowerOfTwo(alignment) || alignment % sizeof(void*) != 0) return kInvalidArgument;
  void* block = ArenaAllocate(size, alignment);
  if (block == nullptr) return kOutOfMemory;
  *out = block;
  return 0;
}

size_t malloc_usable_size(void* pointer) {
  if (pointer == nullptr) return 0;
  if (ArenaOwns(pointer)) return ArenaBlockSize(pointer);
  return g_pass_through.malloc_usable_size != nullptr ? g_pass_through.malloc_usable_size(pointer) : 0;
}

}  // namespace heaptally::agent::cold
