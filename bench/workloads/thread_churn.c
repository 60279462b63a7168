// Threads that live briefly: each allocates and frees a little, so a profiler pays for its beginning and its end.
//
// thread_churn THREADS   (two at a time)
#include <pthread.h>
#include <stdlib.h>

#include "loop_clock.h"

static void* Work(void* argument) {
  void* blocks[10];
  for (int i = 0; i < 10; ++i) blocks[i] = malloc(16 + 24 * (size_t)i);
  for (int i = 0; i < 10; ++i) free(blocks[i]);
  return argument;
}

int main(int argc, char** argv) {
  const uint64_t threads = argc > 1 ? strtoull(argv[1], NULL, 0) : 20000;
  const LoopClock start = StartLoop();
  for (uint64_t i = 0; i < threads; i += 2) {
    pthread_t pair[2];
    if (pthread_create(&pair[0], NULL, Work, NULL) != 0 || pthread_create(&pair[1], NULL, Work, NULL) != 0) return 1;
    pthread_join(pair[0], NULL);
    pthread_join(pair[1], NULL);
  }
  EndLoop(start, threads, 0);
  return 0;
}
