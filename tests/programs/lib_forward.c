// Another interposer, as a user might preload beside the profiler: it forwards the malloc family and counts successful
// calls. At the end it prints the counts, which are an independent account of what came through: on stderr, one line.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static long allocations, frees;
static char early[4096];  // for what dlsym allocates while it looks for the real functions
static size_t early_used;

static struct {
  int looking;
  void *(*malloc)(size_t);
  void (*free)(void *);
  void *(*calloc)(size_t, size_t);
  void *(*realloc)(void *, size_t);
  void *(*memalign)(size_t, size_t);
  void *(*aligned_alloc)(size_t, size_t);
  int (*posix_memalign)(void **, size_t, size_t);
} real;

__attribute__((constructor(101))) static void look_up(void) {
  if (real.free || real.looking) return;
  real.looking = 1;
  *(void **)&real.malloc = dlsym(RTLD_NEXT, "malloc");
  *(void **)&real.calloc = dlsym(RTLD_NEXT, "calloc");
  *(void **)&real.realloc = dlsym(RTLD_NEXT, "realloc");
  *(void **)&real.memalign = dlsym(RTLD_NEXT, "memalign");
  *(void **)&real.aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
  *(void **)&real.posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
  *(void **)&real.free = dlsym(RTLD_NEXT, "free");
  real.looking = 0;
}

static void *early_block(size_t bytes) {
  void *block = early + early_used;
  early_used += (bytes + 15) & ~(size_t)15;
  return early_used <= sizeof early ? block : NULL;
}

static int is_early(void *block) { return (char *)block >= early && (char *)block < early + sizeof early; }

static void *counted(void *block) {
  if (block) __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
  return block;
}

void *malloc(size_t bytes) {
  look_up();
  return real.malloc ? counted(real.malloc(bytes)) : early_block(bytes);
}

void *calloc(size_t count, size_t bytes) {
  look_up();
  return real.calloc ? counted(real.calloc(count, bytes)) : early_block(count * bytes);
}

void free(void *block) {
  look_up();
  if (!block || is_early(block) || !real.free) return;
  __atomic_add_fetch(&frees, 1, __ATOMIC_RELAXED);
  real.free(block);
}

void *realloc(void *block, size_t bytes) {
  look_up();
  void *moved = real.realloc(block, bytes);
  if (block && (moved || bytes == 0)) __atomic_add_fetch(&frees, 1, __ATOMIC_RELAXED);
  return counted(moved);
}

void *memalign(size_t alignment, size_t bytes) {
  look_up();
  return counted(real.memalign(alignment, bytes));
}

void *aligned_alloc(size_t alignment, size_t bytes) {
  look_up();
  return counted(real.aligned_alloc(alignment, bytes));
}

int posix_memalign(void **block, size_t alignment, size_t bytes) {
  look_up();
  int error = real.posix_memalign(block, alignment, bytes);
  if (!error) counted(*block);
  return error;
}

__attribute__((destructor)) static void print_counts(void) {
  char text[128];
  int bytes = snprintf(text, sizeof text, "forwarded %ld %ld\n", allocations, frees);
  ssize_t ignored = write(2, text, (size_t)bytes);  // the program may have closed it
  (void)ignored;
}
