// Threads with the smallest stack that pthreads allows: a hook may not need more than is left of it.
#include <limits.h>
#include <pthread.h>

#include "truth.h"

TRUTH_ROW(small_stack_leak);

SITE static void small_stack_leak(int depth) {
  volatile char frame[256];
  frame[depth] = 1;
  if (depth > 0) return small_stack_leak(depth - 1);
  void *volatile block = malloc(4321);
  (void)block;
  took(&row_small_stack_leak, 4321);
}

static void *worker(void *argument) {
  for (int i = 0; i < 100; ++i) small_stack_leak(i % 16);
  return argument;
}

int main(void) {
  pthread_attr_t small;
  pthread_attr_init(&small);
  MUST(pthread_attr_setstacksize(&small, (size_t)sysconf(_SC_THREAD_STACK_MIN)) == 0);
  for (int i = 0; i < 50; ++i) {
    pthread_t thread;
    MUST(pthread_create(&thread, &small, worker, NULL) == 0);
    pthread_join(thread, NULL);
  }
  truth_print(1, &row_small_stack_leak, NULL);
  return 0;
}
