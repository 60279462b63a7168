#include "agent/real_functions.h"

#include "agent/cold_calls.h"
#include "agent/startup_arena.h"
#include "elf/symbols.h"
#include "platform/syscalls.h"

extern "C" {
extern const char _DYNAMIC[] __attribute__((visibility("hidden")));
int* __errno_location() __attribute__((weak));
void* memset(void*, int, size_t);
}

namespace heaptally::agent {

RealFunctions g_real;
RealFunctions g_pass_through;
Definer g_definer;
bool g_hooks_open;
RealMappings g_mappings;

namespace {

constexpr int kOutOfMemory = 12;  // ENOMEM, EINVAL: the values that the substitutes return or put in errno
constexpr int kInvalidArgument = 22;

// What this libc lacks, made from what it has. Each does what its manual page says; none is ever preferred to a real one.
namespace substitute {

void* reallocarray(void* pointer, size_t count, size_t size) {
  const uint64_t bytes = Product(count, size);
  if (bytes == UINT64_MAX) {
    SetErrnoNoMemory();
    return nullptr;
  }
  return g_pass_through.realloc(pointer, bytes);
}

int posix_memalign(void** out, size_t alignment, size_t size) {
  if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) return kInvalidArgument;
  void* block = g_pass_through.memalign != nullptr ? g_pass_through.memalign(alignment, size) : g_pass_through.aligned_alloc(alignment, size);
  if (block == nullptr) return kOutOfMemory;
  *out = block;
  return 0;
}

void* memalign(size_t alignment, size_t size) {
  void* block = nullptr;
  if (alignment < sizeof(void*)) alignment = sizeof(void*);
  return g_pass_through.posix_memalign(&block, alignment, size) == 0 ? block : nullptr;
}

void* aligned_alloc(size_t alignment, size_t size) { return g_pass_through.memalign(alignment, size); }
void* valloc(size_t size) { return g_pass_through.memalign(platform::kPageBytes, size); }
void* pvalloc(size_t size) {
  return g_pass_through.memalign(platform::kPageBytes, (size + platform::kPageBytes - 1) & ~(platform::kPageBytes - 1));
}
void* calloc(size_t count, size_t size) {
  const uint64_t bytes = Product(count, size);
  void* block = bytes == UINT64_MAX ? nullptr : g_pass_through.malloc(bytes);
  if (block != nullptr) memset(block, 0, bytes);
  return block;
}
void cfree(void* pointer) { g_pass_through.free(pointer); }
void free_sized(void* pointer, size_t) { g_pass_through.free(pointer); }
void free_aligned_sized(void* pointer, size_t, size_t) { g_pass_through.free(pointer); }
size_t malloc_usable_size(void*) { return 0; }

}  // namespace substitute

// Releases and moves of a process in which the start-up arena has handed out blocks.
namespace arena_aware {

void free(void* pointer) {
  if (!ArenaOwns(pointer)) g_pass_through.free(pointer);
}
void cfree(void* pointer) {
  if (!ArenaOwns(pointer)) g_pass_through.cfree(pointer);
}
void free_sized(void* pointer, size_t size) {
  if (!ArenaOwns(pointer)) g_pass_through.free_sized(pointer, size);
}
void free_aligned_sized(void* pointer, size_t alignment, size_t size) {
  if (!ArenaOwns(pointer)) g_pass_through.free_aligned_sized(pointer, alignment, size);
}
void* realloc(void* pointer, size_t size) { return cold::realloc(pointer, size); }
void* reallocarray(void* pointer, size_t count, size_t size) { return cold::reallocarray(pointer, count, size); }
size_t malloc_usable_size(void* pointer) { return cold::malloc_usable_size(pointer); }

}  // namespace arena_aware

template <typename Function>
void Find(const char* name, Function* function) {
  *function = reinterpret_cast<Function>(elf::FindNext(_DYNAMIC, name).address);
}

void FillGaps() {
  RealFunctions& real = g_pass_through;
  if (real.calloc == nullptr) real.calloc = substitute::calloc;
  if (real.posix_memalign == nullptr && (real.memalign != nullptr || real.aligned_alloc != nullptr)) real.posix_memalign = substitute::posix_memalign;
  if (real.memalign == nullptr && real.posix_memalign != nullptr) real.memalign = substitute::memalign;
  if (real.aligned_alloc == nullptr && real.memalign != nullptr) real.aligned_alloc = substitute::aligned_alloc;
  if (real.valloc == nullptr && real.memalign != nullptr) real.valloc = substitute::valloc;
  if (real.pvalloc == nullptr && real.memalign != nullptr) real.pvalloc = substitute::pvalloc;
  if (real.reallocarray == nullptr && real.realloc != nullptr) real.reallocarray = substitute::reallocarray;
  if (real.cfree == nullptr) real.cfree = substitute::cfree;
  if (real.free_sized == nullptr) real.free_sized = substitute::free_sized;
  if (real.free_aligned_sized == nullptr) real.free_aligned_sized = substitute::free_aligned_sized;
  if (real.malloc_usable_size == nullptr) real.malloc_usable_size = substitute::malloc_usable_size;
}

}  // namespace

void SetErrnoNoMemory() {
  if (__errno_location != nullptr) *__errno_location() = kOutOfMemory;
}

namespace {

bool DefinerIsLibc() { return elf::FindNext(_DYNAMIC, "__libc_start_main").text_start == g_definer.text_start; }

void ResolveMappings() {
  const elf::Definition real_mmap = elf::FindNext(_DYNAMIC, "mmap");
  if (real_mmap.text_start != elf::FindNext(_DYNAMIC, "__libc_start_main").text_start) {
    g_mappings.text_start = real_mmap.text_start;
    g_mappings.text_end = real_mmap.text_end;
  }
  Find("mmap64", &g_mappings.mmap64);
  Find("munmap", &g_mappings.munmap);
  Find("mremap", &g_mappings.mremap);
  Find("brk", &g_mappings.brk);
  Find("sbrk", &g_mappings.sbrk);
  Find("mmap", &g_mappings.mmap);
}

}  // namespace

void ResolveRealFunctions() {
#define HT_ACQUIRE(name, parameters, arguments, requested_bytes) Find(#name, &g_pass_through.name);
#define HT_MOVE(name, parameters, arguments, requested_bytes) Find(#name, &g_pass_through.name);
#define HT_RELEASE(name, parameters, arguments) Find(#name, &g_pass_through.name);
#define HT_OTHER(name, return_type, parameters, arguments) Find(#name, &g_pass_through.name);
#include "agent/malloc_family.def"
  const elf::Definition real_malloc = elf::FindNext(_DYNAMIC, "malloc");
  g_definer.text_start = real_malloc.text_start;
  g_definer.text_end = real_malloc.text_end;
  g_definer.is_libc = DefinerIsLibc();
  g_definer.interposer_before = elf::FindBefore(_DYNAMIC, "malloc").address != nullptr;
  g_definer.missing = g_pass_through.malloc == nullptr || g_pass_through.free == nullptr || g_pass_through.realloc == nullptr;
  if (!g_definer.missing) FillGaps();
  ResolveMappings();
}

// Some real functions call another one through the symbol table (glibc's reallocarray calls realloc, musl's calloc calls
// malloc). Asked once, before the hooks are open, so that the inner call lands in the cold way, which counts it; and with a
// size that every allocator refuses, so that the program's heap stays as it was.
namespace {

constexpr size_t kRefused = SIZE_MAX / 2 - 65536;

template <typename Call>
bool CallsAnotherHook(Call call) {
  const uint64_t before = cold::g_calls;
  call();
  return cold::g_calls != before;
}

void AllocateAligned() {
  void* block = nullptr;
  if (g_pass_through.posix_memalign(&block, 64, kRefused) == 0) g_pass_through.free(block);
}

void CloseNested(RealFunctions* open) {
  RealFunctions& real = g_pass_through;
  if (CallsAnotherHook([&] { real.free(real.calloc(1, kRefused)); })) open->calloc = nullptr;
  if (CallsAnotherHook([&] { real.free(real.aligned_alloc(64, kRefused)); })) open->aligned_alloc = nullptr;
  if (CallsAnotherHook([&] { real.free(real.memalign(64, kRefused)); })) open->memalign = nullptr;
  if (CallsAnotherHook([&] { real.free(real.valloc(kRefused)); })) open->valloc = nullptr;
  if (CallsAnotherHook([&] { real.free(real.pvalloc(kRefused)); })) open->pvalloc = nullptr;
  if (CallsAnotherHook(AllocateAligned)) open->posix_memalign = nullptr;
  if (CallsAnotherHook([&] { real.free(real.reallocarray(nullptr, 1, kRefused)); })) open->reallocarray = nullptr;
}

}  // namespace

void OpenHooks(bool arena_in_use) {
  RealFunctions open = g_pass_through;
  if (arena_in_use) {
    open.free = arena_aware::free;
    open.cfree = arena_aware::cfree;
    open.free_sized = arena_aware::free_sized;
    open.free_aligned_sized = arena_aware::free_aligned_sized;
    open.realloc = arena_aware::realloc;
    open.reallocarray = arena_aware::reallocarray;
    open.malloc_usable_size = arena_aware::malloc_usable_size;
  }
  // Only libc is asked: a naive malloc may not survive the question, and nothing behind an interposer is ever called.
  if (g_definer.is_libc && !g_definer.interposer_before) CloseNested(&open);
  g_real = open;
  g_hooks_open = true;
}

}  // namespace heaptally::agent
