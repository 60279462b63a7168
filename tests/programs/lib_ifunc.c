// A library whose IFUNC resolver allocates: it runs while the loader relocates, before any constructor, and before a
// preloaded library may have been relocated itself.
#include <stdlib.h>
#include <string.h>

static int chosen(void) { return 7; }

// For main to free and to move, when the program has long had its real malloc.
static char *for_main[4];
__attribute__((visibility("default"))) char *ifunc_block(int i) { return for_main[i]; }

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
  for (int i = 0; i < 4; ++i) {
    for_main[i] = malloc(200);
    if (!for_main[i]) abort();
    memset(for_main[i], 'a' + i, 200);
  }
  return chosen;
}

__attribute__((visibility("default"))) int ifunc_choice(void) __attribute__((ifunc("resolve_choice")));
