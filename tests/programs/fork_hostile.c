// fork at bad moments. argv[1] = threads (forks while three threads allocate), handler (forks inside a timer's handler
// that interrupts malloc; with lib_reentrant), many (300 children in a row, ten alive at once).
// Children allocate and print their own rows.
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "truth.h"

TRUTH_ROW(parent_churn);
TRUTH_ROW(child_leak);
static volatile int forks_left, stop;

SITE static void parent_churn(size_t bytes) {
  void *block = malloc(bytes);
  took(&row_parent_churn, bytes);
  free(block);
  gave(&row_parent_churn, bytes);
}

SITE static void child_leak(void) {
  void *volatile block = malloc(110000);
  (void)block;
  took(&row_child_leak, 110000);
}

static void child(void) {
  for (int i = 0; i < 100; ++i) child_leak();
  truth_print(1, &row_child_leak, NULL);
  _exit(0);
}

static void reap(void) {
  int status;
  while (wait(&status) < 0) MUST(errno == EINTR);
  MUST(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void *worker(void *argument) {
  for (size_t i = 0; !stop; ++i) parent_churn(i % 3000);
  return argument;
}

static void fork_from_threads(void) {
  pthread_t thread[3];
  for (int i = 0; i < 3; ++i) MUST(pthread_create(&thread[i], NULL, worker, NULL) == 0);
  for (int i = 0; i < 50; ++i) {
    if (fork() == 0) child();
    reap();
  }
  stop = 1;
  for (int i = 0; i < 3; ++i) pthread_join(thread[i], NULL);
}

static void on_alarm(int signal) {
  (void)signal;
  if (forks_left <= 0) return;
  --forks_left;
  if ((forks_left % 2 ? fork() : _Fork()) == 0) {
    struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);
    child();
  }
}

static void fork_in_handler(void) {
  forks_left = 50;
  struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval often = {{0, 500}, {0, 500}};
  setitimer(ITIMER_REAL, &often, NULL);
  for (size_t i = 0; forks_left > 0; ++i) parent_churn(i % 3000);
  struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &never, NULL);
  for (int i = 0; i < 50; ++i) reap();
}

static void fork_many(void) {
  for (int i = 0; i < 300; ++i) {
    parent_churn((size_t)i);
    if (fork() == 0) child();
    if (i >= 10) reap();
  }
  for (int i = 0; i < 10; ++i) reap();
}

int main(int argc, char **argv) {
  MUST(argc > 1);
  if (strcmp(argv[1], "threads") == 0) fork_from_threads();
  if (strcmp(argv[1], "handler") == 0) fork_in_handler();
  if (strcmp(argv[1], "many") == 0) fork_many();
  truth_print(1, &row_parent_churn, NULL);
  return 0;
}
