// makecontext coroutines on 16 KiB stacks from malloc, which allocate, switch, are freed and made again.
#include <ucontext.h>

#include "truth.h"

enum { kCoroutines = 32, kSwitches = 200, kStackBytes = 16384 };
TRUTH_ROW(make_stack);
TRUTH_ROW(in_coroutine);
TRUTH_ROW(coroutine_leak);
static ucontext_t scheduler, coroutine[kCoroutines];
static void *stack[kCoroutines];

SITE static void *make_stack(void) {
  void *block = malloc(kStackBytes);
  took(&row_make_stack, kStackBytes);
  return block;
}

SITE static void in_coroutine(size_t bytes) {
  void *block = malloc(bytes);
  took(&row_in_coroutine, bytes);
  free(block);
  gave(&row_in_coroutine, bytes);
}

SITE static void coroutine_leak(void) {
  void *volatile block = malloc(100);
  (void)block;
  took(&row_coroutine_leak, 100);
}

static void body(int self) {
  for (int i = 0; i < kSwitches; ++i) {
    in_coroutine((size_t)(100 + i));
    coroutine_leak();
    swapcontext(&coroutine[self], &scheduler);
  }
}

static void run_all(void) {
  for (int i = 0; i < kCoroutines; ++i) {
    stack[i] = make_stack();
    getcontext(&coroutine[i]);
    coroutine[i].uc_stack.ss_sp = stack[i];
    coroutine[i].uc_stack.ss_size = kStackBytes;
    coroutine[i].uc_link = &scheduler;
    makecontext(&coroutine[i], (void (*)(void))body, 1, i);
  }
  for (int round = 0; round <= kSwitches; ++round)
    for (int i = 0; i < kCoroutines; ++i) swapcontext(&scheduler, &coroutine[i]);
  for (int i = 0; i < kCoroutines; ++i) {
    free(stack[i]);
    gave(&row_make_stack, kStackBytes);
  }
}

int main(void) {
  for (int i = 0; i < 5; ++i) run_all();
  truth_print(1, &row_make_stack, &row_in_coroutine, &row_coroutine_leak, NULL);
  return 0;
}
