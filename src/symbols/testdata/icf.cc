// Two functions with the same code: a linker that folds identical code keeps one of them, under both names.
#include "probe.h"

volatile int sink;

__attribute__((noinline)) int FoldedOne(int x) {
  Probe("folded");
  sink = sink + 1;
  return x + 1;
}

__attribute__((noinline)) int FoldedTwo(int x) {
  Probe("folded");
  sink = sink + 1;
  return x + 1;
}

int main() {
  int (*volatile one)(int) = FoldedOne;
  int (*volatile two)(int) = FoldedTwo;
  sink = one(1) + two(2);
  Probe("main");
  return one == two ? 0 : 1;
}
