// Leaks 100 MB in 10,000 blocks, churns, prints its truth, and ends in the way that argv[1] names. Nothing that happened
// before the end may be missing.
#include <signal.h>

#include "truth.h"

TRUTH_ROW(before_the_end);
TRUTH_ROW(last_call);

SITE static void before_the_end(size_t bytes) {
  void *volatile block = malloc(bytes);
  (void)block;
  took(&row_before_the_end, bytes);
}

SITE static void last_call(void) {
  void *volatile block = malloc(12345);
  (void)block;
  took(&row_last_call, 12345);
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "return";
  for (int i = 0; i < 10000; ++i) before_the_end(10000);
  last_call();
  truth_print(1, &row_before_the_end, &row_last_call, NULL);
  if (strcmp(how, "exit") == 0) exit(3);
  if (strcmp(how, "_exit") == 0) _exit(3);
  if (strcmp(how, "quick_exit") == 0) quick_exit(3);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "sigterm") == 0) raise(SIGTERM);
  if (strcmp(how, "sigkill") == 0) raise(SIGKILL);
  if (strcmp(how, "sigsegv") == 0) *(volatile int *)8 = 1;
  if (strcmp(how, "no memory") == 0) {
    volatile size_t too_much = (size_t)1 << 62;
    if (!malloc(too_much)) abort();
  }
  return 3;
}
