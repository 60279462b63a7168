// A library that allocates in its constructor, and frees and leaks in its destructor, after main and after most others.
#include "truth.h"

TRUTH_ROW(constructor_block);
TRUTH_ROW(constructor_leak);
TRUTH_ROW(destructor_leak);
static void *held;

SITE static void *constructor_block(void) {
  void *block = malloc(60000);
  took(&row_constructor_block, 60000);
  return block;
}

SITE static void constructor_leak(void) {
  void *volatile block = malloc(5000);
  (void)block;
  took(&row_constructor_leak, 5000);
}

SITE static void destructor_leak(void) {
  void *volatile block = malloc(7000);
  (void)block;
  took(&row_destructor_leak, 7000);
}

__attribute__((constructor(101))) static void start(void) {
  held = constructor_block();
  constructor_leak();
}

__attribute__((destructor(101))) static void end(void) {
  free(held);
  gave(&row_constructor_block, 60000);
  for (int i = 0; i < 10; ++i) destructor_leak();
  truth_print(1, &row_constructor_block, &row_constructor_leak, &row_destructor_leak, NULL);
}

__attribute__((visibility("default"))) int late_loaded(void) { return 1; }
