// A plugin that takes blocks from the program and gives blocks to it: its own malloc and free are what its scope binds.
#include <stdlib.h>

__attribute__((visibility("default"), noinline)) void *exchange_make(size_t bytes) {
  void *volatile block = malloc(bytes);
  return block;
}
__attribute__((visibility("default"))) void exchange_end(void *block) { free(block); }
