// Mappings and fork: what a child unmaps of its parent's is not the parent's, and what it maps is its own.
#include "truth.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define PAGE 4096L

TRUTH_ROW(map_in_parent);
TRUTH_ROW(map_in_child);

SITE static char *map_in_parent(long pages) {
  char *got = mmap(NULL, (size_t)(pages * PAGE), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(got != MAP_FAILED);
  took(&row_map_in_parent, (size_t)(pages * PAGE));
  return got;
}

SITE static char *map_in_child(long pages, char *over) {
  char *got = mmap(over, (size_t)(pages * PAGE), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | (over != NULL ? MAP_FIXED : 0), -1, 0);
  MUST(got != MAP_FAILED);
  took(&row_map_in_child, (size_t)(pages * PAGE));
  return got;
}

static void child_main(char *inherited) {
  MUST(munmap(inherited, 4 * PAGE) == 0);
  map_in_child(3, NULL);
  map_in_child(2, inherited + 4 * PAGE);  // over a part of what it inherited
  char *own = map_in_child(6, NULL);
  MUST(munmap(own, 6 * PAGE) == 0);
  gave(&row_map_in_child, 6 * PAGE);
  MUST(munmap(inherited + 6 * PAGE, 4 * PAGE) == 0);
  truth_print(1, &row_map_in_child, NULL);
  _exit(0);
}

int main(int argc, char **argv) {
  char *inherited = map_in_parent(10);
  const int raw = argc > 1 && strcmp(argv[1], "raw") == 0;
  const pid_t child = raw ? (pid_t)syscall(SYS_fork) : fork();
  MUST(child >= 0);
  if (child == 0) {
    truth_confined = raw;  // its pid is not known to the profile
    child_main(inherited);
  }
  int status = 1;
  MUST(waitpid(child, &status, 0) == child && status == 0);
  map_in_parent(1);
  MUST(munmap(inherited, 5 * PAGE) == 0);
  __atomic_add_fetch(&row_map_in_parent.freed_bytes, 5 * PAGE, __ATOMIC_RELAXED);
  truth_print(1, &row_map_in_parent, NULL);
  return 0;
}
