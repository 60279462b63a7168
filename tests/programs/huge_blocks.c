// Blocks of 100 GB of address space, which nobody touches: counted in full, in 64 bits. Run with lib_reentrant, whose
// arena is reserved without being committed, so that it works on any machine.
#include "truth.h"

TRUTH_ROW(huge_leak);
TRUTH_ROW(huge_block);

SITE static void huge_leak(void) {
  void *volatile block = malloc(100000000000ul);
  MUST(block);
  took(&row_huge_leak, 100000000000ul);
}

SITE static void huge_block(void) {
  void *block = malloc(100000000000ul);
  MUST(block);
  took(&row_huge_block, 100000000000ul);
  free(block);
  gave(&row_huge_block, 100000000000ul);
}

int main(void) {
  for (int i = 0; i < 5; ++i) huge_leak();
  for (int i = 0; i < 20; ++i) huge_block();
  truth_print(1, &row_huge_leak, &row_huge_block, NULL);
  return 0;
}
