// A program that brings its own malloc in the executable: a preloaded library sees none of it, and must say so.
#include "truth.h"

static char arena[1 << 20];
static size_t used;
void *malloc(size_t bytes) {
  size_t start = used;
  used += (bytes + 31) & ~(size_t)15;
  return used <= sizeof arena ? arena + start : NULL;
}
void *calloc(size_t count, size_t bytes) { return malloc(count * bytes); }
void *realloc(void *block, size_t bytes) {
  void *bigger = malloc(bytes);
  if (block && bigger) memmove(bigger, block, bytes);
  return bigger;
}
void free(void *block) { (void)block; }

int main(void) {
  for (int i = 0; i < 1000; ++i) MUST(malloc(100) != NULL);
  say(1, "own malloc done\n");
  return 0;
}
