// A child enters an empty root, drops to another user and only then allocates for the first time: nothing of the profiler
// can be opened there. Needs root. argv[1] = an empty folder.
#include <grp.h>
#include <sys/wait.h>

#include "truth.h"

TRUTH_ROW(parent_leak);
TRUTH_ROW(confined_leak);

SITE static void parent_leak(void) {
  void *volatile block = malloc(5000);
  (void)block;
  took(&row_parent_leak, 5000);
}

SITE static void confined_leak(void) {
  void *volatile block = malloc(6000);
  (void)block;
  took(&row_confined_leak, 6000);
}

int main(int argc, char **argv) {
  MUST(argc > 1);
  SKIP_IF(geteuid() != 0, "chroot needs root");
  parent_leak();
  if (fork() == 0) {
    MUST(chroot(argv[1]) == 0 && chdir("/") == 0 && setgroups(0, NULL) == 0 && setgid(65534) == 0 && setuid(65534) == 0);
    for (int i = 0; i < 3000; ++i) confined_leak();
    truth_print(1, &row_confined_leak, NULL);
    _exit(0);
  }
  int status;
  MUST(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  truth_print(1, &row_parent_leak, NULL);
  return 0;
}
