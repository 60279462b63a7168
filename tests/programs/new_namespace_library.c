// dlmopen loads a library with a libc of its own: that libc's heap is not ours, and must neither crash nor confuse.
#include <dlfcn.h>

#include "truth.h"

TRUTH_ROW(program_leak);

SITE static void program_leak(size_t bytes) {
  void *volatile block = malloc(bytes);
  (void)block;
  took(&row_program_leak, bytes);
}

int main(int argc, char **argv) {
  MUST(argc > 1);
  for (int i = 0; i < 5; ++i) {
    void *other = dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW);
    MUST(other);
    void *(*make)(size_t) = (void *(*)(size_t))dlsym(other, "exchange_make");
    void (*end)(void *) = (void (*)(void *))dlsym(other, "exchange_end");
    for (int j = 0; j < 100; ++j) {
      void *block = make(1000);
      memset(block, 1, 1000);
      if (j % 2) end(block);
      program_leak(50);
    }
  }
  truth_print(1, &row_program_leak, NULL);
  return 0;
}
