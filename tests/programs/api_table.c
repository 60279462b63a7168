// Every function of the malloc family, one calling function each: 100 blocks of a known size, half of them freed.
// cfree, free_sized and free_aligned_sized are looked up, since most libcs have none of them: where they exist, or the
// agent offers them, they must free. posix_memalign, valloc and the rest count what was asked for, never rounded.
#include <dlfcn.h>
#include <malloc.h>

#include "truth.h"

enum { kBlocks = 100 };

#define API(name, bytes, call)                                     \
  TRUTH_ROW(by_##name);                                            \
  SITE static void *by_##name(void) {                              \
    void *block = NULL;                                            \
    call;                                                          \
    MUST(block != NULL);                                           \
    took(&row_by_##name, bytes);                                   \
    return block;                                                  \
  }                                                                \
  SITE static void run_##name(void (*release)(void *)) {           \
    for (int i = 0; i < kBlocks; ++i) {                            \
      void *block = by_##name();                                   \
      MUST(malloc_usable_size(block) >= (bytes));                  \
      if (i % 2) {                                                 \
        release(block);                                            \
        gave(&row_by_##name, bytes);                               \
      }                                                            \
    }                                                              \
  }

API(malloc, 101, block = malloc(101))
API(calloc, 7 * 31, block = calloc(7, 31))
API(realloc_null, 103, block = realloc(NULL, 103))
API(reallocarray, 11 * 29, block = reallocarray(NULL, 11, 29))
API(posix_memalign, 107, MUST(posix_memalign(&block, 256, 107) == 0 && (size_t)block % 256 == 0))
API(aligned_alloc, 192, block = aligned_alloc(64, 192))
API(memalign, 109, block = memalign(4096, 109))
API(valloc, 113, block = valloc(113))
API(pvalloc, 127, block = pvalloc(127))
API(cfree, 131, block = malloc(131))
API(free_sized, 137, block = malloc(137))
API(free_aligned_sized, 256, block = aligned_alloc(128, 256))

static void (*real_cfree)(void *);
static void (*real_free_sized)(void *, size_t);
static void (*real_free_aligned_sized)(void *, size_t, size_t);
static void release_cfree(void *block) { real_cfree ? real_cfree(block) : free(block); }
static void release_sized(void *block) { real_free_sized ? real_free_sized(block, 137) : free(block); }
static void release_aligned_sized(void *block) {
  real_free_aligned_sized ? real_free_aligned_sized(block, 128, 256) : free(block);
}

int main(int argc, char **argv) {
  real_cfree = (void (*)(void *))dlsym(RTLD_DEFAULT, "cfree");
  real_free_sized = (void (*)(void *, size_t))dlsym(RTLD_DEFAULT, "free_sized");
  real_free_aligned_sized = (void (*)(void *, size_t, size_t))dlsym(RTLD_DEFAULT, "free_aligned_sized");
  if (argc > 1 && strcmp(argv[1], "all") == 0) MUST(real_cfree && real_free_sized && real_free_aligned_sized);
  run_malloc(free);
  run_calloc(free);
  run_realloc_null(free);
  run_reallocarray(free);
  run_posix_memalign(free);
  run_aligned_alloc(free);
  run_memalign(free);
  run_valloc(free);
  run_pvalloc(free);
  run_cfree(release_cfree);
  run_free_sized(release_sized);
  run_free_aligned_sized(release_aligned_sized);
  free(NULL);
  MUST(malloc_usable_size(NULL) == 0);
  truth_print(1, &row_by_malloc, &row_by_calloc, &row_by_realloc_null, &row_by_reallocarray, &row_by_posix_memalign,
              &row_by_aligned_alloc, &row_by_memalign, &row_by_valloc, &row_by_pvalloc, &row_by_cfree,
              &row_by_free_sized, &row_by_free_aligned_sized, NULL);
  return 0;
}
