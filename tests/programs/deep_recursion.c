// Leaks from the bottom of argv[1] frames, reached through two entry functions. 400 frames, the default, fit the limit of
// 512, so that both roots are told apart; with 2,000 the stack is cut and marked, and what it allocated still counts.
#include "truth.h"

TRUTH_ROW(descend);
TRUTH_ROW(entry_a);
TRUTH_ROW(entry_b);

SITE static void *descend(int depth, size_t bytes) {
  volatile char frame[32];
  frame[depth % 32] = 1;
  if (depth == 0) return malloc(bytes);
  void *block = descend(depth - 1, bytes);
  frame[depth % 32] = 2;
  return block;
}

SITE static void entry_a(int depth) {
  for (int i = 0; i < 100; ++i) {
    MUST(descend(depth, 1000));
    took(&row_entry_a, 1000);
  }
}

SITE static void entry_b(int depth) {
  for (int i = 0; i < 100; ++i) {
    MUST(descend(depth, 3000));
    took(&row_entry_b, 3000);
  }
}

int main(int argc, char **argv) {
  int depth = argc > 1 ? atoi(argv[1]) : 400;
  entry_a(depth);
  entry_b(depth);
  if (depth > 500) {  // the roots are beyond the cut: only their sum can be known
    row_descend.allocations = row_entry_a.allocations + row_entry_b.allocations;
    row_descend.allocated_bytes = row_entry_a.allocated_bytes + row_entry_b.allocated_bytes;
    truth_print(1, &row_descend, NULL);
  } else {
    truth_print(1, &row_entry_a, &row_entry_b, NULL);
  }
  return 0;
}
