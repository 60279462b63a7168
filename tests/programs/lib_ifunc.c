// A library whose IFUNC resolver allocates: it runs while the loader relocates, before any constructor, and before a
// preloaded library may have been relocated itself.
#include <stdlib.h>
#include <string.h>

static int chosen(void) { return 7; }

static int (*resolve_choice(void))(void) {
  char *volatile block = malloc(300);
  if (block) {
    block[0] = 1;
    char *volatile bigger = realloc(block, 400);
    if (!bigger || bigger[0] != 1) abort();
    free(bigger);
  }
  void *volatile kept = calloc(1, 500);
  if (!kept) abort();
  return chosen;
}

__attribute__((visibility("default"))) int ifunc_choice(void) __attribute__((ifunc("resolve_choice")));
