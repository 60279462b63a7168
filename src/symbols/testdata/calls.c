#include "probe.h"

extern volatile int sink;

static inline __attribute__((always_inline)) int St(int x) {
  Probe("c_inlined");
  sink = sink + 1;
  return x + 2;
}

static __attribute__((noinline)) int i(int x) {
  Probe("c_static");
  sink = sink + 1;
  return x + sink;
}

__attribute__((noinline)) int f(int x);
int f(int x) {
  int y = i(x);
  y += St(y); /* call:c_inlined */
  Probe("c");
  sink = sink + 1;
  return y;
}
