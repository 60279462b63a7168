// A program with few exported names: what is between them must stay unnamed once it is stripped.
#include "probe.h"

#define NOINLINE __attribute__((noinline))

volatile int sink;

__attribute__((visibility("default"))) NOINLINE int exported_low(int x) {
  Probe("exported");
  return x + sink;
}

static NOINLINE int hidden(int x) {
  Probe("hidden");
  return x + sink;
}

__attribute__((visibility("default"))) NOINLINE int exported_high(int x) { return hidden(x) + 1; }

// Assembly: a label without a size, far below other code.
__asm__(
    ".text\n.globl sizeless\n.type sizeless,@function\nsizeless:\n  sub $8,%rsp\n  lea .Lname(%rip),%rdi\n"
    "  call Probe\n  add $8,%rsp\n  ret\n"
    ".section .rodata\n.Lname: .asciz \"sizeless\"\n.text\n");
extern __attribute__((visibility("default"))) void sizeless(void);

int main(void) {
  sink = exported_low(1);
  sink = exported_high(2);
  sizeless();
  return 0;
}
