// Children made in every way but fork(): argv[1] = clone (raw, SIGCHLD), sysfork (raw SYS_fork), _Fork, vfork, spawn
// (posix_spawn of /bin/true), clone_vm (raw CLONE_VM | CLONE_VFORK: the child allocates in the parent's heap).
// A child with a memory of its own has its own rows; one that shares the parent's is booked with the parent.
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "truth.h"

extern char **environ;
TRUTH_ROW(parent_side);
TRUTH_ROW(child_side);

SITE static void parent_side(void) {
  void *volatile block = malloc(1500);
  (void)block;
  took(&row_parent_side, 1500);
}

SITE static void child_side(void) {
  void *volatile block = malloc(2500);
  (void)block;
  took(&row_child_side, 2500);
}

static int shared_child(void *argument) {
  for (int i = 0; i < 5000; ++i) child_side();
  (void)argument;
  return 0;
}

static void own_child(void) {
  for (int i = 0; i < 5000; ++i) child_side();
  truth_print(1, &row_child_side, NULL);
  _exit(0);
}

static void reap(pid_t child) {
  int status;
  MUST(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static pid_t make_child(const char *how) {
  pid_t child = -1;
  if (strcmp(how, "clone") == 0) child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (strcmp(how, "sysfork") == 0) child = (pid_t)syscall(SYS_fork);
  if (strcmp(how, "_Fork") == 0) child = _Fork();
  if (child == 0) own_child();
  if (strcmp(how, "vfork") == 0) {
    child = vfork();
    if (child == 0) {
      shared_child(NULL);
      _exit(0);
    }
  }
  if (strcmp(how, "spawn") == 0) {
    char *arguments[] = {"true", NULL};
    MUST(posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ) == 0);
  }
  if (strcmp(how, "clone_vm") == 0) {
    static char stack[262144] __attribute__((aligned(16)));
    child = clone(shared_child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
  }
  return child;
}

int main(int argc, char **argv) {
  MUST(argc > 1);
  for (int i = 0; i < 50; ++i) parent_side();
  reap(make_child(argv[1]));
  for (int i = 0; i < 50; ++i) parent_side();
  truth_print(1, &row_parent_side, row_child_side.allocations ? &row_child_side : NULL, NULL);
  return 0;
}
