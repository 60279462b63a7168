// The smallest program with a truth: 2,000 blocks of 1,000 bytes. Built three more times: static, for setuid, with musl.
#include "truth.h"

TRUTH_ROW(hello_leak);

SITE static void hello_leak(void) {
  void *volatile block = malloc(1000);
  (void)block;
  took(&row_hello_leak, 1000);
}

int main(void) {
  for (int i = 0; i < 2000; ++i) hello_leak();
  truth_print(1, &row_hello_leak, NULL);
  return 0;
}
