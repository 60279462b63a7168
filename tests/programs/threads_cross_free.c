// Eight threads allocate, and each frees what its neighbour allocated: through a mailbox, so that most blocks end in
// another thread than they began in. A tenth of them is never freed.
#include <pthread.h>
#include <sched.h>

#include "truth.h"

enum { kThreads = 8, kRounds = 20000, kSlots = 64 };
TRUTH_ROW(make_block);
TRUTH_ROW(make_leak);
static size_t *mailbox[kThreads][kSlots];

SITE static size_t *make_block(size_t bytes) {
  size_t *block = malloc(bytes);
  block[0] = bytes;
  took(&row_make_block, bytes);
  return block;
}

SITE static void make_leak(size_t bytes) {
  void *volatile block = malloc(bytes);
  (void)block;
  took(&row_make_leak, bytes);
}

static void end_block(size_t *block) {
  if (!block) return;
  gave(&row_make_block, block[0]);
  free(block);
}

static void *worker(void *argument) {
  size_t self = (size_t)argument;
  unsigned seed = (unsigned)self + 1;
  for (int i = 0; i < kRounds; ++i) {
    seed = seed * 1664525u + 1013904223u;
    size_t bytes = 8 + (seed >> 20);
    size_t *old = __atomic_exchange_n(&mailbox[(self + 1) % kThreads][seed % kSlots], make_block(bytes), __ATOMIC_ACQ_REL);
    end_block(old);
    end_block(__atomic_exchange_n(&mailbox[self][(seed >> 8) % kSlots], NULL, __ATOMIC_ACQ_REL));
    if (i % 10 == 0) make_leak(bytes % 100);
  }
  return NULL;
}

int main(void) {
  pthread_t thread[kThreads];
  for (size_t i = 0; i < kThreads; ++i) MUST(pthread_create(&thread[i], NULL, worker, (void *)i) == 0);
  for (size_t i = 0; i < kThreads; ++i) pthread_join(thread[i], NULL);
  truth_print(1, &row_make_block, &row_make_leak, NULL);
  return 0;
}
