// jemalloc's own family, whose truth is the size asked for: allocation with an alignment in the flags, moves, in-place
// resizing that succeeds and that fails, and both ways to end a block. Linked with libjemalloc.so.2.
#include "truth.h"

void *mallocx(size_t size, int flags);
void *rallocx(void *pointer, size_t size, int flags);
size_t xallocx(void *pointer, size_t size, size_t extra, int flags);
size_t sallocx(const void *pointer, int flags);
size_t nallocx(size_t size, int flags);
void dallocx(void *pointer, int flags);
void sdallocx(void *pointer, size_t size, int flags);
enum { ALIGN_4096 = 12, ZERO = 0x40 };  // MALLOCX_LG_ALIGN(12), MALLOCX_ZERO

TRUTH_ROW(by_mallocx);
TRUTH_ROW(by_aligned_mallocx);
TRUTH_ROW(by_rallocx);
TRUTH_ROW(by_xallocx);
TRUTH_ROW(by_failing_xallocx);

SITE static void *by_mallocx(size_t bytes) {
  void *block = mallocx(bytes, ZERO);
  MUST(block && *(char *)block == 0);
  took(&row_by_mallocx, bytes);
  return block;
}

SITE static void *by_aligned_mallocx(size_t bytes) {
  void *block = mallocx(bytes, ALIGN_4096);
  MUST(block && (size_t)block % 4096 == 0);
  took(&row_by_aligned_mallocx, bytes);
  return block;
}

SITE static void *by_rallocx(void *old, size_t old_bytes, size_t bytes) {
  void *block = rallocx(old, bytes, 0);
  MUST(block);
  moved(&row_by_rallocx, bytes, &row_by_mallocx, old_bytes);
  return block;
}

// In place: the block's class holds the new size, too.
SITE static void by_xallocx(void *block, size_t old_bytes, size_t bytes) {
  MUST(xallocx(block, bytes, 0, 0) >= bytes);
  moved(&row_by_xallocx, bytes, &row_by_aligned_mallocx, old_bytes);
}

// A small block never grows in place beyond its class: nothing changes.
SITE static void by_failing_xallocx(void *block) { MUST(xallocx(block, 1 << 20, 0, 0) < 1 << 20); }

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 300;
  for (int i = 0; i < rounds; ++i) {
    void *plain = by_mallocx(1000);
    by_failing_xallocx(plain);
    void *moved_block = by_rallocx(plain, 1000, 3000);
    void *aligned = by_aligned_mallocx(20000);
    by_xallocx(aligned, 20000, 20400);
    MUST(sallocx(aligned, 0) >= 20400 && nallocx(20400, 0) == sallocx(aligned, 0));
    MUST(rallocx(by_mallocx(10), (size_t)-1 / 4, 0) == NULL);  // fails: the block stays
    if (i % 3 == 0) continue;
    dallocx(moved_block, 0);
    gave(&row_by_rallocx, 3000);
    sdallocx(aligned, 20400, ALIGN_4096);
    gave(&row_by_xallocx, 20400);
  }
  truth_print(1, &row_by_mallocx, &row_by_aligned_mallocx, &row_by_rallocx, &row_by_xallocx, NULL);
  (void)row_by_failing_xallocx;
  return 0;
}
