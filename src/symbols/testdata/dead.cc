// A large function that the linker drops: its debug information stays, at address 0 and over living code.
#include "probe.h"

#define NOINLINE __attribute__((noinline))

volatile int sink;

#define S4  \
  sink = 1; \
  sink = 2; \
  sink = 3; \
  sink = 4;
#define S16 S4 S4 S4 S4
#define S64 S16 S16 S16 S16
#define S256 S64 S64 S64 S64
#define S1024 S256 S256 S256 S256

NOINLINE int Dead(int x) {
  S1024 if (x) { sink = x; }
  S1024 if (x) { sink = x; }
  S1024
  return x;
}

NOINLINE int Living(int x) {
  Probe("living");
  return x + sink;
}

int main() {
  sink = Living(1);
  Probe("main");
}
