// Allocations at the earliest moments: an IFUNC resolver in a library, .preinit_array, and a constructor; all are freed or
// reallocated by main, much later. What came before stacks can be taken is "unattributed", but not lost.
#include <malloc.h>

#include "truth.h"

TRUTH_ROW(in_preinit);
TRUTH_ROW(in_constructor);
TRUTH_ROW(in_main);
int ifunc_choice(void);
char *ifunc_block(int i);
static void *from_preinit[10], *from_constructor[10];

SITE static void in_preinit(void) {
  for (int i = 0; i < 10; ++i) {
    from_preinit[i] = malloc(2000);
    took(&row_in_preinit, 2000);
  }
}
__attribute__((section(".preinit_array"), used)) static void (*const preinit)(void) = in_preinit;

SITE static void in_constructor(void) {
  for (int i = 0; i < 10; ++i) {
    from_constructor[i] = malloc(3000);
    took(&row_in_constructor, 3000);
  }
}
__attribute__((constructor(101))) static void constructor(void) { in_constructor(); }

SITE static void in_main(void) {
  for (int i = 0; i < 5; ++i) {
    from_preinit[i] = realloc(from_preinit[i], 9000);
    moved(&row_in_main, 9000, &row_in_preinit, 2000);
    free(from_constructor[i]);
    gave(&row_in_constructor, 3000);
  }
}

int main(void) {
  MUST(ifunc_choice() == 7);
  in_main();
  // Blocks from before the real malloc come back to it.
  MUST(malloc_usable_size(ifunc_block(0)) >= 200);
  free(ifunc_block(0));
  free(ifunc_block(1));
  char *moved_block = realloc(ifunc_block(2), 5000);
  MUST(moved_block && moved_block[0] == 'c' && moved_block[199] == 'c' && ifunc_block(3)[199] == 'd');
  truth_print(1, &row_in_preinit, &row_in_constructor, &row_in_main, NULL);
  return 0;
}
