// Four threads that map, cut, move, replace and unmap without an end, until they are killed. Each holds at most eight
// mappings at a time. Writes its pid into the file named by the first argument.
#include "truth.h"

#include <pthread.h>
#include <sys/mman.h>

#define PAGE 4096L
#define HELD 8

SITE static char *storm_map(long pages) {
  char *got = mmap(NULL, (size_t)(pages * PAGE), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(got != MAP_FAILED);
  return got;
}

SITE static char *storm_move(char *old, long pages, long wanted) {
  char *got = mremap(old, (size_t)(pages * PAGE), (size_t)(wanted * PAGE), MREMAP_MAYMOVE);
  MUST(got != MAP_FAILED);
  return got;
}

SITE static void storm_over(char *at) {
  MUST(mmap(at, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at);
}

static void *storm(void *seed) {
  char *held[HELD] = {NULL};
  long pages[HELD] = {0};
  for (unsigned state = (unsigned)(size_t)seed;; state = state * 1664525u + 1013904223u) {
    const unsigned i = state >> 8 & (HELD - 1);
    if (held[i] == NULL) {
      pages[i] = 3 + (state >> 12) % 30;
      held[i] = storm_map(pages[i]);
    } else if (state >> 28 < 4) {
      const long wanted = 3 + (state >> 12) % 30;
      held[i] = storm_move(held[i], pages[i], wanted);
      pages[i] = wanted;
    } else {
      if (state >> 28 < 8) MUST(munmap(held[i] + PAGE, PAGE) == 0);
      if (state >> 28 > 12) storm_over(held[i] + 2 * PAGE);
      MUST(munmap(held[i], (size_t)(pages[i] * PAGE)) == 0);
      held[i] = NULL;
    }
  }
  return NULL;
}

int main(int argc, char **argv) {
  MUST(argc == 2);
  pthread_t threads[4];
  for (size_t i = 0; i < 4; ++i) MUST(pthread_create(&threads[i], NULL, storm, (void *)(i * 77 + 1)) == 0);
  usleep(200000);
  FILE *file = fopen(argv[1], "w");
  MUST(file != NULL && fprintf(file, "%d\n", (int)getpid()) > 0 && fclose(file) == 0);
  pthread_join(threads[0], NULL);
  return 0;
}
