// prctl(PR_SET_TSC, PR_TSC_SIGSEGV) in the middle of the run: from then on `rdtsc` kills. (A program that starts under the
// ban dies in the loader, with or without a profiler.)
#include <sys/prctl.h>

#include "truth.h"

TRUTH_ROW(without_tsc);

SITE static void without_tsc(size_t bytes) {
  void *block = malloc(bytes);
  took(&row_without_tsc, bytes);
  if (bytes % 3) {
    free(block);
    gave(&row_without_tsc, bytes);
  }
}

int main(void) {
  for (size_t i = 0; i < 1000; ++i) without_tsc(i);
  MUST(prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0);
  for (size_t i = 0; i < 10000; ++i) without_tsc(i);
  truth_print(1, &row_without_tsc, NULL);
  return 0;
}
