// Calls that fail book nothing and leave what they would leave without a profiler: NULL, errno exactly ENOMEM (or EINVAL,
// as a return value, from posix_memalign), and an out-pointer that was not touched. Sizes at the edges of 2^63 and 2^64
// must not blind the thread. A call that succeeds leaves errno as it was. malloc(0) is a block of zero bytes.
#include <malloc.h>
#include <stdint.h>

#include "truth.h"

TRUTH_ROW(after_failures);
TRUTH_ROW(of_zero);
TRUTH_ROW(much_later);

SITE static void failures(size_t bytes) {
  errno = 0;
  MUST(malloc(bytes) == NULL && errno == ENOMEM);
  errno = 0;
  MUST(calloc(1, bytes) == NULL && errno == ENOMEM);
  errno = 0;
  MUST(realloc(NULL, bytes) == NULL && errno == ENOMEM);
  errno = 0;
  MUST(memalign(64, bytes) == NULL && errno == ENOMEM);
  errno = 0;
  MUST(aligned_alloc(64, bytes) == NULL && errno == ENOMEM);
  errno = 0;
  MUST(valloc(bytes) == NULL && errno == ENOMEM);
  errno = 0;
  MUST(pvalloc(bytes) == NULL && errno == ENOMEM);
  void *untouched = &untouched;
  MUST(posix_memalign(&untouched, 64, bytes) == ENOMEM && untouched == &untouched);
}

SITE static void after_failures(void) {
  errno = 4242;
  void *volatile block = malloc(70);
  MUST(block && errno == 4242);
  took(&row_after_failures, 70);
}

SITE static void of_zero(void) {
  void *first = malloc(0), *second = calloc(0, 16);
  MUST(first && second && first != second);
  took(&row_of_zero, 0);
  took(&row_of_zero, 0);
  free(second);
  gave(&row_of_zero, 0);
}

// 128 MB, enough to be sampled: a thread that the call before it has blinded sees none of it. (2^40 more than 2^63, so that
// no countdown, less that size, is below zero.)
SITE static void much_later(void) {
  static volatile size_t impossible = (size_t)1 << 63 | (size_t)1 << 40;
  MUST(malloc(impossible) == NULL);
  for (int i = 0; i < 2000; ++i) {
    void *volatile block = malloc(64000);
    MUST(block);
    took(&row_much_later, 64000);
    free(block);
    gave(&row_much_later, 64000);
  }
}

int main(void) {
  static const size_t impossible[] = {(size_t)PTRDIFF_MAX - 4096, PTRDIFF_MAX, (size_t)PTRDIFF_MAX + 1, SIZE_MAX / 2 + 4096,
                                      SIZE_MAX - 8192, SIZE_MAX - 16, SIZE_MAX};
  for (int round = 0; round < 100; ++round) {
    for (size_t i = 0; i < sizeof impossible / sizeof impossible[0]; ++i) failures(impossible[i]);
    void *untouched = &untouched;
    MUST(posix_memalign(&untouched, 3, 10) == EINVAL && untouched == &untouched);
    MUST(posix_memalign(&untouched, 4, 10) == EINVAL && untouched == &untouched);
    after_failures();
    of_zero();
    free(NULL);
  }
  much_later();
  truth_print(1, &row_after_failures, &row_of_zero, &row_much_later, NULL);
  return 0;
}
