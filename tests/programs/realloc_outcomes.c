// Every outcome of realloc: in place, moved, shrunk, failed (the old block lives on), of NULL, to zero (which frees), and
// a reallocarray whose product overflows. Contents and errno are checked as without a profiler.
#include <stdint.h>

#include "truth.h"

TRUTH_ROW(first_block);
TRUTH_ROW(shrink);
TRUTH_ROW(move_away);
TRUTH_ROW(from_null);
TRUTH_ROW(fail_then_keep);
TRUTH_ROW(to_zero);
TRUTH_ROW(array_overflow);
TRUTH_ROW(array_grow);

SITE static char *first_block(size_t bytes) {
  char *block = malloc(bytes);
  memset(block, 'x', bytes);
  took(&row_first_block, bytes);
  return block;
}

SITE static void shrink(void) {
  char *block = realloc(first_block(1000), 10);
  moved(&row_shrink, 10, &row_first_block, 1000);
  MUST(block[0] == 'x' && block[9] == 'x');
}

SITE static void move_away(void) {
  char *block = first_block(64);
  void *volatile fence = malloc(64);  // stands behind the block, so that it cannot grow in place
  took(&row_move_away, 64);
  char *bigger = realloc(block, 200000);
  moved(&row_move_away, 200000, &row_first_block, 64);
  MUST(bigger[63] == 'x' && fence != NULL);
}

SITE static void from_null(void) {
  MUST(realloc(NULL, 77) != NULL);
  took(&row_from_null, 77);
}

SITE static void fail_then_keep(void) {
  char *block = malloc(500);
  took(&row_fail_then_keep, 500);
  memset(block, 'y', 500);
  for (int i = 0; i < 100; ++i) {
    volatile size_t impossible = i % 2 ? (size_t)PTRDIFF_MAX : SIZE_MAX - 4096;
    errno = 0;
    MUST(realloc(block, impossible) == NULL && errno == ENOMEM);
  }
  MUST(block[0] == 'y' && block[499] == 'y');
}

SITE static void to_zero(void) {
  for (int i = 0; i < 100; ++i) {
    void *block = malloc(300);
    took(&row_to_zero, 300);
    errno = 0;
    MUST(realloc(block, 0) == NULL && errno == 0);
    gave(&row_to_zero, 300);
  }
}

SITE static void array_overflow(void) {
  void *block = malloc(40);
  took(&row_array_overflow, 40);
  volatile size_t half = SIZE_MAX / 2;
  errno = 0;
  MUST(reallocarray(block, half, 3) == NULL && errno == ENOMEM);
  errno = 0;
  MUST(calloc(half, 3) == NULL && errno == ENOMEM);
}

SITE static void array_grow(void) {
  void *block = malloc(40);
  took(&row_array_grow, 40);
  MUST((block = reallocarray(block, 300, 7)) != NULL);
  moved(&row_array_grow, 2100, &row_array_grow, 40);
  free(block);
  gave(&row_array_grow, 2100);
}

int main(void) {
  for (int i = 0; i < 50; ++i) {
    shrink();
    move_away();
    from_null();
    fail_then_keep();
    to_zero();
    array_overflow();
    array_grow();
  }
  truth_print(1, &row_first_block, &row_shrink, &row_move_away, &row_from_null, &row_fail_then_keep, &row_to_zero,
              &row_array_overflow, &row_array_grow, NULL);
  return 0;
}
