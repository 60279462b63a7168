// Many threads that live for one allocation each: argv[1] threads (default 100,000), four at a time. What a thread
// counted must not go with it.
#include <pthread.h>

#include "truth.h"

TRUTH_ROW(thread_leak);
TRUTH_ROW(thread_churn);

SITE static void thread_leak(size_t bytes) {
  void *volatile block = malloc(bytes);
  (void)block;
  took(&row_thread_leak, bytes);
}

SITE static void thread_churn(size_t bytes) {
  void *block = malloc(bytes);
  took(&row_thread_churn, bytes);
  free(block);
  gave(&row_thread_churn, bytes);
}

static void *worker(void *argument) {
  thread_leak(16 + (size_t)argument % 16);
  thread_churn(10000);
  return NULL;
}

int main(int argc, char **argv) {
  size_t threads = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  for (size_t i = 0; i < threads; i += 4) {
    pthread_t thread[4];
    for (size_t j = 0; j < 4; ++j) MUST(pthread_create(&thread[j], &small, worker, (void *)(i + j)) == 0);
    for (size_t j = 0; j < 4; ++j) pthread_join(thread[j], NULL);
  }
  truth_print(1, &row_thread_leak, &row_thread_churn, NULL);
  return 0;
}
