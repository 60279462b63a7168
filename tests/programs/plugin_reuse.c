// dlopens plugin 1, which leaks 3 MiB, closes it, and dlopens plugin 2, which leaks 2 MiB from the same addresses.
// Prints whether the addresses were the same: without that the test shows nothing.
#include <dlfcn.h>

#include "truth.h"

TRUTH_ROW(plugin_one_leak);
TRUTH_ROW(plugin_two_leak);

static void *run_plugin(const char *path) {
  void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!plugin) say(2, dlerror());
  MUST(plugin);
  void *(*run)(void) = (void *(*)(void))dlsym(plugin, "plugin_run");
  MUST(run && run());
  MUST(dlclose(plugin) == 0);
  return (void *)run;
}

int main(int argc, char **argv) {
  MUST(argc == 3);
  void *first = run_plugin(argv[1]);
  void *second = run_plugin(argv[2]);
  for (int i = 0; i < 48; ++i) took(&row_plugin_one_leak, 65536);
  for (int i = 0; i < 32; ++i) took(&row_plugin_two_leak, 65536);
  say(2, first == second ? "same addresses\n" : "other addresses\n");
  truth_print(1, &row_plugin_one_leak, &row_plugin_two_leak, NULL);
  return 0;
}
