// A GNU nested function: its debug information is inside of another function's.
#include "probe.h"

volatile int sink;

static inline __attribute__((always_inline)) void Inlined(void) {
  Probe("nested_inlined");
  sink = sink + 1;
}

int main(void) {
  int local = sink;
  __attribute__((noinline)) int work(int x) {
    Probe("nested");
    Inlined();  // call:nested_inlined
    return x + local;
  }
  sink = work(1);
  return 0;
}
