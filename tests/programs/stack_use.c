// How deep each function goes below its caller: the calls are made on a stack of their own that was filled with a pattern.
// Prints "NAME BYTES" for each. Bound at once (the loader's own resolver would be the deepest).
#include <pthread.h>
#include <stdint.h>
#include <ucontext.h>

#include "truth.h"

enum { kStackBytes = 1 << 18, kPattern = 0xa5 };
static unsigned char stack[kStackBytes] __attribute__((aligned(4096)));
static ucontext_t back, there;
static uintptr_t caller;
static void *volatile block;
static void (*action)(void);

SITE static void call_malloc(void) { block = malloc(100); }
SITE static void call_calloc(void) { block = calloc(3, 100); }
SITE static void call_free(void) { free(block); block = NULL; }
SITE static void call_realloc(void) { block = realloc(block, 3000); }
SITE static void call_memalign(void) { MUST(posix_memalign((void **)&block, 64, 100) == 0); }
SITE static void call_execve(void) {
  char *arguments[] = {"none", NULL}, *environment[] = {"A=1", NULL};
  MUST(execve("/no/such/program", arguments, environment) == -1);
}
SITE static void call_prctl_name(void) { pthread_setname_np(pthread_self(), "stack_use"); }

SITE static void deep(int depth) {  // more frames than are kept on the stack of the hook
  volatile char frame[8];
  frame[0] = 1;
  if (depth > 0) deep(depth - 1);
  else {
    caller = (uintptr_t)__builtin_frame_address(0) - 32;
    block = malloc(64);
  }
  frame[1] = 2;
}
SITE static void call_malloc_deep(void) { deep(300); }

static void on_the_stack(void) {
  caller = (uintptr_t)__builtin_frame_address(0);
  action();
  swapcontext(&there, &back);
}

static void measure(const char *name, void (*which)(void)) {
  volatile long worst = 0;
  for (volatile int round = 0; round < 3; ++round) {  // the first one meets the site for the first time
    memset(stack, kPattern, sizeof stack);
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    there.uc_link = &back;
    makecontext(&there, on_the_stack, 0);
    action = which;
    swapcontext(&back, &there);
    unsigned char *touched = stack;
    while (touched < stack + sizeof stack && *touched == kPattern) ++touched;
    const long bytes = (long)(caller - (uintptr_t)touched);
    if (bytes > worst) worst = bytes;
  }
  printf("%s %ld\n", name, worst);
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  measure("malloc", call_malloc);
  measure("free", call_free);
  measure("calloc", call_calloc);
  measure("realloc", call_realloc);
  measure("free again", call_free);
  measure("posix_memalign", call_memalign);
  measure("malloc below 300 frames", call_malloc_deep);
  measure("pthread_setname_np", call_prctl_name);
  measure("execve", call_execve);
  return 0;
}
