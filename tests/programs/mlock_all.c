// mlockall(MCL_CURRENT | MCL_FUTURE) makes every reservation real memory. Prints its RSS afterwards, in KiB, on stderr;
// the script compares it with the RSS without a profiler.
#include <sys/mman.h>

#include "truth.h"

TRUTH_ROW(locked_leak);

SITE static void locked_leak(size_t bytes) {
  void *volatile block = malloc(bytes);
  (void)block;
  took(&row_locked_leak, bytes);
}

static long resident_kib(void) {
  FILE *statm = fopen("/proc/self/statm", "r");
  long size = 0, resident = 0;
  MUST(statm && fscanf(statm, "%ld %ld", &size, &resident) == 2);
  fclose(statm);
  return resident * 4;
}

int main(void) {
  SKIP_IF(mlockall(MCL_CURRENT | MCL_FUTURE) != 0, "mlockall is refused");
  for (size_t i = 0; i < 2000; ++i) locked_leak(i % 100);
  char text[64];
  snprintf(text, sizeof text, "rss %ld\n", resident_kib());
  say(2, text);
  truth_print(1, &row_locked_leak, NULL);
  return 0;
}
