// One thread frees or reallocs blocks while another takes blocks of the same size at once: with one arena the address
// comes back in the other thread within the call. Booking a release after the real free would end the wrong block.
#include <malloc.h>
#include <pthread.h>

#include "truth.h"

enum { kRounds = 200000, kRing = 16 };
TRUTH_ROW(first_owner);
TRUTH_ROW(second_owner);
TRUTH_ROW(mover);
static int done;

SITE static void *first_owner(void) {
  void *block = malloc(2000);
  took(&row_first_owner, 2000);
  return block;
}

SITE static void *second_owner(void) {
  void *block = malloc(2000);
  took(&row_second_owner, 2000);
  return block;
}

SITE static void mover(void) {
  void *block = realloc(first_owner(), 5000);
  moved(&row_mover, 5000, &row_first_owner, 2000);
  free(block);
  gave(&row_mover, 5000);
}

static void *taker(void *argument) {
  (void)argument;
  void *ring[kRing] = {NULL};
  for (unsigned i = 0; !__atomic_load_n(&done, __ATOMIC_ACQUIRE); ++i) {
    if (ring[i % kRing]) {
      free(ring[i % kRing]);
      gave(&row_second_owner, 2000);
    }
    ring[i % kRing] = second_owner();
  }
  return NULL;  // what is in the ring stays live
}

int main(void) {
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MXFAST, 0);
  pthread_t thread[2];
  for (int i = 0; i < 2; ++i) MUST(pthread_create(&thread[i], NULL, taker, NULL) == 0);
  for (int i = 0; i < kRounds; ++i) {
    if (i % 4 == 0) {
      mover();
      continue;
    }
    free(first_owner());
    gave(&row_first_owner, 2000);
  }
  __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
  for (int i = 0; i < 2; ++i) pthread_join(thread[i], NULL);
  truth_print(1, &row_first_owner, &row_second_owner, &row_mover, NULL);
  return 0;
}
