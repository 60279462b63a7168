// Small blocks by the hundred thousand, some thousands of middling ones that stay, reallocs, few and large blocks, threads,
// and a child: with the truth of each, for modes that sample by calls.
#include <pthread.h>
#include <sys/wait.h>

#include "truth.h"

TRUTH_ROW(small_churn);
TRUTH_ROW(middle_stays);
TRUTH_ROW(large_stays);
TRUTH_ROW(grows);
TRUTH_ROW(thread_churn);
TRUTH_ROW(child_stays);

SITE static void small_churn(size_t bytes) {
  void *block = malloc(bytes);
  took(&row_small_churn, bytes);
  free(block);
  gave(&row_small_churn, bytes);
}

SITE static void middle_stays(size_t bytes) {
  void *volatile block = malloc(bytes);
  (void)block;
  took(&row_middle_stays, bytes);
}

SITE static void large_stays(size_t bytes) {
  void *volatile block = malloc(bytes);
  (void)block;
  took(&row_large_stays, bytes);
}

SITE static void grows(void) {
  void *block = NULL;
  size_t before = 0;
  for (size_t bytes = 16; bytes <= 4096; bytes *= 2) {
    block = realloc(block, bytes);
    before ? moved(&row_grows, bytes, &row_grows, before) : took(&row_grows, bytes);
    before = bytes;
  }
  free(block);
  gave(&row_grows, before);
}

SITE static void thread_churn(size_t bytes) {
  void *block = malloc(bytes);
  took(&row_thread_churn, bytes);
  free(block);
  gave(&row_thread_churn, bytes);
}

SITE static void child_stays(size_t bytes) {
  void *volatile block = malloc(bytes);
  (void)block;
  took(&row_child_stays, bytes);
}

static void *work(void *unused) {
  for (int i = 0; i < 60000; ++i) thread_churn(64 + (size_t)i % 64);
  return unused;
}

int main(void) {
  pthread_t thread[4];
  for (int i = 0; i < 4; ++i) MUST(pthread_create(&thread[i], NULL, work, NULL) == 0);
  for (int i = 0; i < 300000; ++i) {
    small_churn((size_t)i % 200);
    if (i % 30 == 0) middle_stays(1000 + (size_t)i % 1000);
    if (i % 30 == 0) grows();
    if (i % 15000 == 0) large_stays(8 << 20);
  }
  for (int i = 0; i < 4; ++i) pthread_join(thread[i], NULL);
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 50000; ++i) child_stays(100);
    truth_print(1, &row_child_stays, NULL);
    exit(0);
  }
  MUST(waitpid(child, NULL, 0) == child);
  truth_print(1, &row_small_churn, &row_middle_stays, &row_large_stays, &row_grows, &row_thread_churn, NULL);
  return 0;
}
