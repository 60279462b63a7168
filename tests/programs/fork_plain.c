// A parent with 3 MB of its own forks a child that allocates without exec, frees some inherited blocks, and forks a
// grandchild. Each process prints its own truth; what is inherited is in nobody's rows but the parent's.
// argv[1] = "exec": the child then runs single_thread (argv[2]) in its place.
#include <sys/wait.h>

#include "truth.h"

TRUTH_ROW(parent_blocks);
TRUTH_ROW(child_leak);
TRUTH_ROW(grandchild_leak);

SITE static void *parent_blocks(size_t bytes) {
  void *block = malloc(bytes);
  took(&row_parent_blocks, bytes);
  return block;
}

SITE static void child_leak(int blocks) {
  for (int i = 0; i < blocks; ++i) {
    void *volatile block = malloc(20000);
    (void)block;
    took(&row_child_leak, 20000);
  }
}

SITE static void grandchild_leak(int blocks) {
  for (int i = 0; i < blocks; ++i) {
    void *volatile block = malloc(777);
    (void)block;
    took(&row_grandchild_leak, 777);
  }
}

static void reap(void) {
  int status;
  MUST(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int argc, char **argv) {
  void *block[300];
  for (int i = 0; i < 300; ++i) block[i] = parent_blocks(10000);
  if (fork() == 0) {
    for (int i = 0; i < 100; ++i) free(block[i]);  // inherited: an end in the child, not in the parent
    child_leak(1000);
    if (fork() == 0) {
      grandchild_leak(20000);
      truth_print(1, &row_grandchild_leak, NULL);
      return 0;
    }
    reap();
    truth_print(1, &row_child_leak, NULL);
    if (argc > 2 && strcmp(argv[1], "exec") == 0) execl(argv[2], argv[2], (char *)NULL);
    return 0;
  }
  reap();
  for (int i = 200; i < 300; ++i) {
    free(block[i]);
    gave(&row_parent_blocks, 10000);
  }
  truth_print(1, &row_parent_blocks, NULL);
  return 0;
}
