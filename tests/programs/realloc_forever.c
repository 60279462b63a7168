// One touched block of 1 GiB that is resized by a page, for ever: realloc moves or remaps it each time, and every eighth
// call fails. Whenever the program is killed, the block is live exactly once.
#include "truth.h"

static void *block;

SITE static void resize_gigabyte(size_t bytes) {
  void *moved = realloc(block, bytes);
  if (moved) block = moved;
}

int main(void) {
  resize_gigabyte((size_t)1 << 30);
  MUST(block);
  for (size_t i = 0; i < (size_t)1 << 30; i += 1 << 20) ((char *)block)[i] = 1;
  say(1, "running\n");
  for (size_t i = 0;; ++i) resize_gigabyte(i % 8 ? ((size_t)1 << 30) + (i % 1024) * 4096 : (size_t)-1 / 4);
}
