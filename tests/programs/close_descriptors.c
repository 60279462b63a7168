// Closes every descriptor above 2 (with a second argument: all of them), then opens files of its own, which get the numbers that a careless profiler held, and
// writes known text while it allocates from many stacks. The files (argv[1] = folder) hold that text and nothing else.
#include <fcntl.h>

#include "truth.h"

TRUTH_ROW(after_closing);

SITE static void after_closing(size_t bytes, unsigned path) {
  if (path > 1) return path % 2 ? after_closing(bytes, path / 2) : after_closing(bytes + 1, path / 2);
  void *volatile block = malloc(bytes);
  (void)block;
  took(&row_after_closing, bytes);
}

SITE static void odd(size_t bytes, unsigned path);
SITE static void even(size_t bytes, unsigned path) {
  if (path <= 1) return after_closing(bytes, 1);
  return path % 2 ? odd(bytes, path / 2) : even(bytes, path / 2);
}
SITE static void odd(size_t bytes, unsigned path) {
  if (path <= 1) return after_closing(bytes, 1);
  return path % 2 ? odd(bytes, path / 2) : even(bytes, path / 2);
}

int main(int argc, char **argv) {
  MUST(argc > 1);
  const int first = argc > 2 ? 0 : 3;
  for (int fd = first; fd < 1024; ++fd) close(fd);
  int file[8];
  char name[512];
  for (int i = 0; i < 8; ++i) {
    snprintf(name, sizeof name, "%s/own-%d", argv[1], i);
    file[i] = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    MUST(file[i] == first + i);
  }
  for (unsigned i = 0; i < 4096; ++i) {
    even(i % 50, i);
    if (i % 512 == 0) MUST(write(file[i / 512], "thirty bytes of the program's\n", 30) == 30);
  }
  truth_print(1, &row_after_closing, NULL);
  return 0;
}
