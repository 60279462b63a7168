// A plugin whose code has the same layout in both builds (PLUGIN_LEAK names its function, PLUGIN_MIB its leak), so that
// the second is loaded at the first one's addresses.
#include <stdlib.h>
#include <string.h>

#ifndef PLUGIN_LEAK
#define PLUGIN_LEAK plugin_zero_leak
#define PLUGIN_MIB 1
#endif

__attribute__((noinline)) static void *PLUGIN_LEAK(size_t bytes) {
  void *block = malloc(bytes);
  memset(block, PLUGIN_MIB, 1);
  return block;
}

__attribute__((visibility("default"))) void *plugin_run(void) {
  void *last = NULL;
  for (int i = 0; i < PLUGIN_MIB * 16; ++i) last = PLUGIN_LEAK(65536);
  return last;
}
