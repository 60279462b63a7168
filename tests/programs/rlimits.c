// Lowers a limit after start and goes on allocating from new stacks: argv[1] = "as" (address space, to what is in use and
// 256 MiB more), "fsize" (64 KiB: a longer file written or made is SIGXFSZ), "data", or "none".
#include <sys/resource.h>

#include "truth.h"

TRUTH_ROW(limited_leak);

SITE static void limited_leak(size_t bytes) {
  void *volatile block = malloc(bytes);
  (void)block;
  if (block) took(&row_limited_leak, bytes);
}

SITE static void odd(size_t bytes, unsigned path);
SITE static void even(size_t bytes, unsigned path) {
  if (path <= 1) return limited_leak(bytes);
  return path % 2 ? odd(bytes, path / 2) : even(bytes, path / 2);
}
SITE static void odd(size_t bytes, unsigned path) {
  if (path <= 1) return limited_leak(bytes);
  return path % 2 ? odd(bytes, path / 2) : even(bytes, path / 2);
}

static rlim_t address_space_in_use(void) {
  FILE *statm = fopen("/proc/self/statm", "r");
  unsigned long pages = 0;
  MUST(statm && fscanf(statm, "%lu", &pages) == 1);
  fclose(statm);
  return pages * 4096ul;
}

static void lower(int resource, rlim_t value) {
  struct rlimit limit = {value, value};
  MUST(setrlimit(resource, &limit) == 0);
}

int main(int argc, char **argv) {
  const char *which = argc > 1 ? argv[1] : "none";
  if (strcmp(which, "as") == 0) lower(RLIMIT_AS, address_space_in_use() + (256u << 20));
  if (strcmp(which, "data") == 0) lower(RLIMIT_DATA, address_space_in_use() + (256u << 20));
  if (strcmp(which, "fsize") == 0) lower(RLIMIT_FSIZE, 65536);
  for (unsigned i = 0; i < 100000; ++i) even(i % 50, i % 4096);
  truth_print(1, &row_limited_leak, NULL);
  return 0;
}
