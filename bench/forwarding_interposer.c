// The floor of any preloaded profiler: the malloc family, passed on through pointers that were looked up once, and
// nothing else. What this costs, being preloaded costs; a profiler's own cost is what comes on top.
//
// Not for general use: a static buffer serves what dlsym asks for, and it is never given back.
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

static void* (*g_malloc)(size_t);
static void (*g_free)(void*);
static void* (*g_calloc)(size_t, size_t);
static void* (*g_realloc)(void*, size_t);
static void* (*g_memalign)(size_t, size_t);
static void* (*g_aligned_alloc)(size_t, size_t);
static int (*g_posix_memalign)(void**, size_t, size_t);

static char g_early[65536] __attribute__((aligned(16)));
static size_t g_early_used;
static int g_looking;

static void* Early(size_t size) {
  const size_t at = g_early_used;
  if (size > sizeof(g_early) - at) return NULL;
  g_early_used += (size + 15) & ~(size_t)15;
  return g_early + at;
}

static int IsEarly(const void* block) { return (uintptr_t)block - (uintptr_t)g_early < sizeof(g_early); }

// False while the look-up itself is what asks for memory.
__attribute__((noinline, cold)) static int LookUp(void) {
  if (g_looking) return 0;
  g_looking = 1;
  *(void**)&g_calloc = dlsym(RTLD_NEXT, "calloc");
  *(void**)&g_realloc = dlsym(RTLD_NEXT, "realloc");
  *(void**)&g_memalign = dlsym(RTLD_NEXT, "memalign");
  *(void**)&g_aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
  *(void**)&g_posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
  *(void**)&g_malloc = dlsym(RTLD_NEXT, "malloc");
  *(void**)&g_free = dlsym(RTLD_NEXT, "free");
  g_looking = 0;
  return 1;
}

EXPORT void* malloc(size_t size) {
  if (UNLIKELY(g_malloc == NULL) && !LookUp()) return Early(size);
  return g_malloc(size);
}

__attribute__((noinline, cold)) static void FreeEarly(void* block) {
  if (!IsEarly(block) && LookUp()) g_free(block);
}

EXPORT void free(void* block) {
  if (UNLIKELY(g_free == NULL) || UNLIKELY(IsEarly(block))) return FreeEarly(block);
  g_free(block);
}

EXPORT void* calloc(size_t count, size_t size) {
  if (UNLIKELY(g_calloc == NULL) && !LookUp()) return Early(count * size);
  return g_calloc(count, size);
}

EXPORT void* realloc(void* block, size_t size) {
  if (UNLIKELY(g_realloc == NULL) && !LookUp()) return block == NULL ? Early(size) : NULL;
  if (UNLIKELY(IsEarly(block))) {
    void* moved = g_malloc(size);
    const size_t rest = (size_t)(g_early + sizeof(g_early) - (char*)block);
    if (moved != NULL) memcpy(moved, block, size < rest ? size : rest);
    return moved;
  }
  return g_realloc(block, size);
}

EXPORT void* memalign(size_t alignment, size_t size) {
  if (UNLIKELY(g_memalign == NULL) && !LookUp()) return NULL;
  return g_memalign(alignment, size);
}

EXPORT void* aligned_alloc(size_t alignment, size_t size) {
  if (UNLIKELY(g_aligned_alloc == NULL) && !LookUp()) return NULL;
  return g_aligned_alloc(alignment, size);
}

EXPORT int posix_memalign(void** out, size_t alignment, size_t size) {
  if (UNLIKELY(g_posix_memalign == NULL) && !LookUp()) return ENOMEM;
  return g_posix_memalign(out, alignment, size);
}
