// Allocates, then execs the program of argv[1] with the same pid: two images, each with its whole profile.
#include "truth.h"

TRUTH_ROW(first_image_leak);

SITE static void first_image_leak(size_t bytes) {
  void *volatile block = malloc(bytes);
  (void)block;
  took(&row_first_image_leak, bytes);
}

int main(int argc, char **argv) {
  MUST(argc > 1);
  for (int i = 0; i < 160; ++i) first_image_leak(4000);
  truth_print(1, &row_first_image_leak, NULL);
  execv(argv[1], argv + 1);
  return 99;
}
