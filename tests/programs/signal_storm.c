// A timer's handler allocates and frees while the program allocates, thousands of times a second, so that
// signals strike the hooks at every instruction. Linked with lib_reentrant, whose malloc allows that.
//   plain     the handler returns
//   altstack  the handler runs on a small alternate stack (SIGSTKSZ as the kernel's minimum asks)
//   jump      the handler leaves by siglongjmp every other time, so that calls of the program never come back
#include <setjmp.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/time.h>

#include "truth.h"

TRUTH_ROW(main_block);
TRUTH_ROW(main_leak);
TRUTH_ROW(handler_block);
TRUTH_ROW(handler_leak);
static sigjmp_buf loop;
static int jumps_wanted;
static volatile long signals;

SITE static void main_block(size_t bytes) {
  begins(&row_main_block, bytes);
  void *block = malloc(bytes);
  took(&row_main_block, bytes);
  ends(&row_main_block, bytes);
  begins_release(&row_main_block, bytes);
  free(block);
  gave(&row_main_block, bytes);
  ends_release(&row_main_block, bytes);
}

SITE static void main_leak(size_t bytes) {
  begins(&row_main_leak, bytes);
  void *volatile block = malloc(bytes);
  (void)block;
  took(&row_main_leak, bytes);
  ends(&row_main_leak, bytes);
}

SITE static void handler_block(void) {
  void *block = malloc(500);
  took(&row_handler_block, 500);
  free(block);
  gave(&row_handler_block, 500);
}

SITE static void handler_leak(void) {
  void *volatile block = malloc(90);
  (void)block;
  took(&row_handler_leak, 90);
}

static void on_alarm(int signal) {
  (void)signal;
  int saved = errno;
  long count = ++signals;
  handler_block();
  handler_leak();
  errno = saved;
  if (jumps_wanted && count % 2) siglongjmp(loop, 1);
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "plain";
  static char stack[16384];
  struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
  if (strcmp(how, "altstack") == 0) {
    size_t least = getauxval(AT_MINSIGSTKSZ);
    if (least < 2048) least = 2048;
    stack_t alternate = {.ss_sp = stack, .ss_size = least + 4096};
    MUST(sizeof stack >= alternate.ss_size && sigaltstack(&alternate, NULL) == 0);
    action.sa_flags |= SA_ONSTACK;
  }
  jumps_wanted = strcmp(how, "jump") == 0;
  sigaction(SIGALRM, &action, NULL);
  // A jump ends the call that was interrupted. Were they so many that most calls are too slow to come to their end, those that
  // are sampled would be the slowest, and estimates of the others too low.
  const long interval_us = jumps_wanted ? 400 : 50;
  const int enough = jumps_wanted ? 1000 : 4000;
  struct itimerval often = {{0, interval_us}, {0, interval_us}};
  volatile unsigned i = 0;
  if (sigsetjmp(loop, 1) == 0) setitimer(ITIMER_REAL, &often, NULL);  // no handler may jump before there is a place to jump to
  while (signals < enough) {
    ++i;
    main_block(i % 1000);
    if (i % 16 == 0) main_leak(i % 300);
  }
  struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &never, NULL);
  jumps_wanted = 0;
  truth_print(1, &row_main_block, &row_main_leak, &row_handler_block, &row_handler_leak, NULL);
  return 0;
}
