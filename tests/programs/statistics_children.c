// 200 children that all do the same: only the sampler's draws can tell them apart. Each allocates 160 blocks of 1 KiB in
// child_blocks and keeps them.
#include <sys/wait.h>

#include "truth.h"

TRUTH_ROW(child_blocks);

SITE static void child_blocks(int blocks) {
  for (int i = 0; i < blocks; ++i) {
    void *volatile block = malloc(1024);
    MUST(block != NULL);
    took(&row_child_blocks, 1024);
  }
}

int main(void) {
  for (int i = 0; i < 200; ++i) {
    const pid_t child = fork();
    MUST(child >= 0);
    if (child == 0) {
      child_blocks(160);
      _exit(0);
    }
    int status;
    MUST(waitpid(child, &status, 0) == child && status == 0);
  }
  return 0;
}
