// Destructors of a thread allocate and free: pthread_key destructors in all of their four rounds, and a C++ thread_local.
#include <limits.h>
#include <pthread.h>

#include "truth.h"

TRUTH_ROW(key_round);
TRUTH_ROW(thread_local_leak);
TRUTH_ROW(thread_local_block);
static pthread_key_t key;

SITE static void key_round(void *value) {
  size_t round = reinterpret_cast<size_t>(value);
  void *volatile block = malloc(1000 + round);
  (void)block;
  took(&row_key_round, 1000 + round);
  pthread_setspecific(key, reinterpret_cast<void *>(round + 1));  // asks for one more round
}

SITE static void *thread_local_block(size_t bytes) {
  void *block = malloc(bytes);
  took(&row_thread_local_block, bytes);
  return block;
}

SITE static void thread_local_leak(size_t bytes) {
  void *volatile block = malloc(bytes);
  (void)block;
  took(&row_thread_local_leak, bytes);
}

struct Holder {
  void *block = thread_local_block(500);
  ~Holder() {
    free(block);
    gave(&row_thread_local_block, 500);
    thread_local_leak(40);
  }
};
static thread_local Holder holder;

static void *worker(void *) {
  MUST(holder.block != nullptr);
  pthread_setspecific(key, reinterpret_cast<void *>(1));
  return nullptr;
}

int main() {
  pthread_key_create(&key, key_round);
  for (int i = 0; i < 100; ++i) {
    pthread_t thread;
    MUST(pthread_create(&thread, nullptr, worker, nullptr) == 0);
    pthread_join(thread, nullptr);
  }
  MUST(row_key_round.allocations == 100L * PTHREAD_DESTRUCTOR_ITERATIONS);
  truth_print(1, &row_key_round, &row_thread_local_leak, &row_thread_local_block, nullptr);
  return 0;
}
