// Six threads, each a function of its own, take blocks of 9 to 40 MiB, resize and free them. With MALLOC_MMAP_THRESHOLD_ below
// that, addresses go from one thread to another at once. In the end nothing is live.
#include <pthread.h>

#include "truth.h"

enum { kMiB = 1 << 20, kRounds = 12000 };

#define WORKER(number)                                                                              \
  TRUTH_ROW(big_worker##number);                                                                    \
  SITE static void *big_worker##number(void *argument) {                                            \
    for (int i = 0; i < kRounds; ++i) {                                                             \
      size_t small = (9 + number) * (size_t)kMiB, large = (20 + 3 * number + i % 7) * (size_t)kMiB; \
      char *block = malloc(small);                                                                  \
      MUST(block);                                                                                  \
      took(&row_big_worker##number, small);                                                   \
      block = realloc(block, large);                                                                \
      MUST(block);                                                                                  \
      moved(&row_big_worker##number, large, &row_big_worker##number, small);                            \
      free(block);                                                                                  \
      gave(&row_big_worker##number, large);                                                   \
    }                                                                                               \
    return argument;                                                                                \
  }
WORKER(0)
WORKER(1)
WORKER(2)
WORKER(3)
WORKER(4)
WORKER(5)

int main(void) {
  void *(*work[])(void *) = {big_worker0, big_worker1, big_worker2, big_worker3, big_worker4, big_worker5};
  pthread_t thread[6];
  for (int i = 0; i < 6; ++i) MUST(pthread_create(&thread[i], NULL, work[i], NULL) == 0);
  for (int i = 0; i < 6; ++i) pthread_join(thread[i], NULL);
  truth_print(1, &row_big_worker0, &row_big_worker1, &row_big_worker2, &row_big_worker3, &row_big_worker4, &row_big_worker5, NULL);
  return 0;
}
