// A plugin opened with RTLD_DEEPBIND binds libc's malloc past any preloaded one, and exchanges blocks with the program in
// both directions. The program must work; what the profiler sees must be either right or said. argv[1] = the plugin,
// argv[2] = "deep" or "plain" (the same without the flag). At last the plugin ends blocks whose addresses never come back.
#include <dlfcn.h>

#include "truth.h"

TRUTH_ROW(exchange_make);
TRUTH_ROW(program_block);

SITE static void *program_block(void) {
  void *block = malloc(600);
  took(&row_program_block, 600);
  return block;
}

int main(int argc, char **argv) {
  MUST(argc > 2);
  void *plugin = dlopen(argv[1], RTLD_NOW | (strcmp(argv[2], "deep") == 0 ? RTLD_DEEPBIND : 0));
  MUST(plugin);
  void *(*make)(size_t) = (void *(*)(size_t))dlsym(plugin, "exchange_make");
  void (*end)(void *) = (void (*)(void *))dlsym(plugin, "exchange_end");
  for (int i = 0; i < 1000; ++i) {
    free(make(400));  // made by the plugin, ended by the program
    took(&row_exchange_make, 400);
    gave(&row_exchange_make, 400);
    end(program_block());  // the other way round
    gave(&row_program_block, 600);
  }
  static void *kept[1000];
  for (int i = 0; i < 1000; ++i) kept[i] = program_block();
  for (int i = 0; i < 1000; ++i) {
    end(kept[i]);
    gave(&row_program_block, 600);
  }
  for (int i = 0; i < 500; ++i) {
    MUST(make(400));  // and some stay
    took(&row_exchange_make, 400);
  }
  truth_print(1, &row_exchange_make, &row_program_block, NULL);
  return 0;
}
