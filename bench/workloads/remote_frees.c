// W2: two threads that allocate; about half of the blocks are freed by the other thread.
//
// remote_frees PAIRS   (for each of the two threads)
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "loop_clock.h"

enum { kShared = 4096 };

static _Atomic(void*) g_shared[kShared];
static uint64_t g_pairs;

// Whoever swaps a block into a shared slot frees what was there: his own or the other's, as it happens.
static void* Work(void* argument) {
  uint64_t state = (uint64_t)(uintptr_t)argument;
  for (uint64_t i = 0; i < g_pairs; ++i) {
    const uint64_t random = NextRandom(&state);
    char* block = malloc(16 + random % 497);
    block[0] = 1;
    free(atomic_exchange_explicit(&g_shared[(random >> 32) & (kShared - 1)], block, memory_order_acq_rel));
  }
  return NULL;
}

int main(int argc, char** argv) {
  g_pairs = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000;
  pthread_t other;
  const LoopClock start = StartLoop();
  pthread_create(&other, NULL, Work, (void*)2);
  Work((void*)1);
  pthread_join(other, NULL);
  EndLoop(start, 2 * g_pairs, 0);
  return 0;
}
