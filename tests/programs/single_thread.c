// One thread: a leak, a churn and a table that grows by realloc. Nothing else allocates, so the totals are known too.
// Its peak is the moment when the table is largest: all that is live at the end, and 8 MiB.
#include "truth.h"

TRUTH_ROW(leak_a);
TRUTH_ROW(leak_b);
TRUTH_ROW(churn);
TRUTH_ROW(grow_table);

SITE static void *leak_a(size_t bytes) {
  void *block = malloc(bytes);
  took(&row_leak_a, bytes);
  return block;
}

SITE static void *leak_b(size_t count, size_t bytes) {
  void *block = calloc(count, bytes);
  took(&row_leak_b, count * bytes);
  return block;
}

SITE static void churn(size_t bytes) {
  void *block = malloc(bytes);
  took(&row_churn, bytes);
  free(block);
  gave(&row_churn, bytes);
}

SITE static void *grow_table(void *table, size_t old_bytes, size_t bytes) {
  void *bigger = realloc(table, bytes);
  if (table) {
    moved(&row_grow_table, bytes, &row_grow_table, old_bytes);
  } else {
    took(&row_grow_table, bytes);
  }
  return bigger;
}

int main(void) {
  for (int i = 1; i <= 1000; ++i) leak_a((size_t)i);
  for (int i = 1; i <= 300; ++i) leak_b((size_t)i, 24);
  for (int i = 0; i < 50000; ++i) churn((size_t)(i % 700));
  void *table = NULL;
  size_t bytes = 0;
  for (size_t next = 64; next <= (8u << 20); next *= 2) {
    table = grow_table(table, bytes, next);
    bytes = next;
  }
  free(table);
  gave(&row_grow_table, bytes);
  truth_print(1, &row_leak_a, &row_leak_b, &row_churn, &row_grow_table, NULL);
  return 0;
}
