// argv[1] distinct stacks (default 250,000, by the bits of a number as calls of `odd` and `even`), one block each, half of
// them freed: more than a small segment can hold, so that some fold into their callers. The totals must stay exact.
#include "truth.h"

TRUTH_ROW(site_leaf);

SITE static void *site_leaf(size_t bytes) {
  void *block = malloc(bytes);
  took(&row_site_leaf, bytes);
  return block;
}

SITE static void *odd(size_t bytes, unsigned path);
SITE static void *even(size_t bytes, unsigned path) {
  void *volatile block = path <= 1 ? site_leaf(bytes) : path % 2 ? odd(bytes, path / 2) : even(bytes, path / 2);
  return block;
}
SITE static void *odd(size_t bytes, unsigned path) {
  void *volatile block = path <= 1 ? site_leaf(bytes) : path % 2 ? odd(bytes, path / 2) : even(bytes, path / 2);
  return block;
}

int main(int argc, char **argv) {
  unsigned sites = argc > 1 ? (unsigned)atoi(argv[1]) : 250000;
  for (unsigned i = 0; i < sites; ++i) {
    void *block = even(i % 64, (1u << 18) + i);
    if (i % 2) continue;
    free(block);
    gave(&row_site_leaf, i % 64);
  }
  truth_print(1, &row_site_leaf, NULL);
  return 0;
}
