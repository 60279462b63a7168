// Another interposer, as a user might preload beside the profiler: it forwards the malloc family and counts successful
// calls. At the end it prints the counts, which are an independent account of what came through: on stderr, one line.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static long allocations, frees;
static char early[4096];
static size_t early_used;

#define REAL(result, name, ...)                                                       \
  static result (*real_##name)(__VA_ARGS__);                                          \
  if (!real_##name) real_##name = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

static int is_early(void *block) { return (char *)block >= early && (char *)block < early + sizeof early; }
static void *counted(void *block) {
  if (block) __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
  return block;
}

void *malloc(size_t bytes) {
  REAL(void *, malloc, size_t);
  return counted(real_malloc(bytes));
}
void free(void *block) {
  REAL(void, free, void *);
  if (!block || is_early(block)) return;
  __atomic_add_fetch(&frees, 1, __ATOMIC_RELAXED);
  real_free(block);
}
void *calloc(size_t count, size_t bytes) {
  static int inside;
  if (inside) {  // dlsym may call calloc
    void *block = early + early_used;
    early_used += (count * bytes + 15) & ~(size_t)15;
    return early_used <= sizeof early ? block : NULL;
  }
  inside = 1;
  REAL(void *, calloc, size_t, size_t);
  inside = 0;
  return counted(real_calloc(count, bytes));
}
void *realloc(void *block, size_t bytes) {
  REAL(void *, realloc, void *, size_t);
  void *moved = real_realloc(block, bytes);
  if (block && (moved || bytes == 0)) __atomic_add_fetch(&frees, 1, __ATOMIC_RELAXED);
  return counted(moved);
}
void *memalign(size_t alignment, size_t bytes) {
  REAL(void *, memalign, size_t, size_t);
  return counted(real_memalign(alignment, bytes));
}
void *aligned_alloc(size_t alignment, size_t bytes) {
  REAL(void *, aligned_alloc, size_t, size_t);
  return counted(real_aligned_alloc(alignment, bytes));
}
int posix_memalign(void **block, size_t alignment, size_t bytes) {
  REAL(int, posix_memalign, void **, size_t, size_t);
  int error = real_posix_memalign(block, alignment, bytes);
  if (!error) counted(*block);
  return error;
}

__attribute__((destructor)) static void print_counts(void) {
  char text[128];
  int bytes = snprintf(text, sizeof text, "forwarded %ld %ld\n", allocations, frees);
  ssize_t ignored = write(2, text, (size_t)bytes);  // a program may have closed it
  (void)ignored;
}
