// pending: a cancel request waits while the thread allocates; malloc is no cancellation point, so all 20,000 calls come
//          back, and the thread ends at its own pthread_testcancel. New sites are met while it waits.
// async:   threads are cancelled asynchronously in the middle of a loop that allocates (with lib_reentrant), and the
//          program goes on; calls that never came back may be counted or not.
#include <pthread.h>

#include "truth.h"

TRUTH_ROW(while_pending);
TRUTH_ROW(until_cancelled);
TRUTH_ROW(afterwards);
static volatile int started;

SITE static void while_pending(size_t bytes, int depth) {
  if (depth > 0) return while_pending(bytes, depth - 1);
  void *block = malloc(bytes);
  took(&row_while_pending, bytes);
  block = realloc(block, bytes + 64);
  moved(&row_while_pending, bytes + 64, &row_while_pending, bytes);
  free(block);
  gave(&row_while_pending, bytes + 64);
}

SITE static void until_cancelled(size_t bytes) {
  begins(&row_until_cancelled, bytes);
  void *block = malloc(bytes);
  took(&row_until_cancelled, bytes);
  ends(&row_until_cancelled, bytes);
  begins_release(&row_until_cancelled, bytes);
  free(block);
  gave(&row_until_cancelled, bytes);
  ends_release(&row_until_cancelled, bytes);
}

SITE static void afterwards(void) {
  void *volatile block = malloc(321);
  (void)block;
  took(&row_afterwards, 321);
}

static void *pending_worker(void *argument) {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  pthread_cancel(pthread_self());
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
  for (int i = 0; i < 20000; ++i) while_pending((size_t)(i % 500), i % 300);
  started = 2;
  pthread_testcancel();
  return argument;
}

static void *async_worker(void *argument) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  started = 1;
  for (size_t i = 0;; ++i) until_cancelled(i % 700);
  return argument;
}

static void cancel_pending(void) {
  pthread_t thread;
  void *result;
  MUST(pthread_create(&thread, NULL, pending_worker, NULL) == 0);
  pthread_join(thread, &result);
  MUST(result == PTHREAD_CANCELED && started == 2);
}

static void cancel_async(void) {
  for (int i = 0; i < 200; ++i) {
    pthread_t thread;
    started = 0;
    MUST(pthread_create(&thread, NULL, async_worker, NULL) == 0);
    while (!started) usleep(50);
    usleep((useconds_t)(i % 23) * 10);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    afterwards();
  }
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "async") == 0) {
    cancel_async();
  } else {
    cancel_pending();
  }
  truth_print(1, &row_while_pending, &row_until_cancelled, &row_afterwards, NULL);
  return 0;
}
