// A malloc that a signal handler may call at any moment: an atomic bump over reserved address space, and no free. With it
// a signal may strike a profiler's hook, or the real call inside it, at any instruction, and the program stays legal.
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { kHeader = 16 };
static char *volatile arena;
static volatile size_t used;
static const size_t kArenaBytes = (size_t)16 << 40;

static char *arena_start(void) {
  char *start = __atomic_load_n(&arena, __ATOMIC_ACQUIRE);
  if (start) return start;
  start = mmap(NULL, kArenaBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  char *expected = NULL;
  if (!__atomic_compare_exchange_n(&arena, &expected, start, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    munmap(start, kArenaBytes);
    return expected;
  }
  return start;
}

static void *take(size_t alignment, size_t bytes) {
  if (alignment < 16) alignment = 16;
  size_t room = (bytes + kHeader + alignment + 15) & ~(size_t)15;
  if (bytes > kArenaBytes / 4 || __atomic_load_n(&used, __ATOMIC_RELAXED) + room > kArenaBytes) {
    errno = ENOMEM;
    return NULL;
  }
  char *raw = arena_start() + __atomic_fetch_add(&used, room, __ATOMIC_RELAXED);
  char *block = (char *)(((uintptr_t)raw + kHeader + alignment - 1) & ~(uintptr_t)(alignment - 1));
  ((size_t *)block)[-1] = bytes;
  return block;
}

void *malloc(size_t bytes) { return take(16, bytes); }
void free(void *block) { (void)block; }
void *calloc(size_t count, size_t bytes) {
  size_t all;
  if (__builtin_mul_overflow(count, bytes, &all)) {
    errno = ENOMEM;
    return NULL;
  }
  return take(16, all);  // fresh pages are zero, and none is used twice
}
void *realloc(void *block, size_t bytes) {
  void *copy = take(16, bytes);
  if (block && copy) {
    size_t old = ((size_t *)block)[-1];
    memcpy(copy, block, old < bytes ? old : bytes);
  }
  return copy;
}
int posix_memalign(void **block, size_t alignment, size_t bytes) {
  void *made = take(alignment, bytes);
  if (!made) return ENOMEM;
  *block = made;
  return 0;
}
void *aligned_alloc(size_t alignment, size_t bytes) { return take(alignment, bytes); }
void *memalign(size_t alignment, size_t bytes) { return take(alignment, bytes); }
size_t malloc_usable_size(void *block) { return block ? ((size_t *)block)[-1] : 0; }
