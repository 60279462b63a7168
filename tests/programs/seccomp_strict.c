// Enters seccomp's strict mode, in which any system call but read, write and exit is death, then churns and leaks within
// memory that libc already holds, at sites that it meets there for the first time.
#include <linux/seccomp.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "truth.h"

TRUTH_ROW(strict_churn);
TRUTH_ROW(strict_leak);

SITE static void strict_churn(size_t bytes) {
  void *block = malloc(bytes);
  took(&row_strict_churn, bytes);
  free(block);
  gave(&row_strict_churn, bytes);
}

SITE static void strict_leak(size_t bytes) {
  void *volatile block = malloc(bytes);
  (void)block;
  took(&row_strict_leak, bytes);
}

int main(void) {
  truth_confined = 1;
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  void *room = malloc(8 << 20);
  memset(room, 1, 8 << 20);
  free(room);
  MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
  for (int i = 0; i < 50000; ++i) strict_churn((size_t)(i % 4000));
  for (int i = 0; i < 500; ++i) strict_leak(4000);
  truth_print(1, &row_strict_churn, &row_strict_leak, NULL);
  syscall(SYS_exit, 0);
}
