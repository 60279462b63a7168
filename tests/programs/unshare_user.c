// unshare(CLONE_NEWUSER) is refused to a process with threads: a profiler may not have started any. Skipped where
// the system refuses it for another reason (EINVAL is the one that threads cause).
#include <sched.h>

#include "truth.h"

TRUTH_ROW(in_new_namespace);

SITE static void in_new_namespace(size_t bytes) {
  void *volatile block = malloc(bytes);
  (void)block;
  took(&row_in_new_namespace, bytes);
}

int main(void) {
  for (size_t i = 0; i < 100; ++i) in_new_namespace(i);
  int refused = unshare(CLONE_NEWUSER);
  SKIP_IF(refused && errno != EINVAL, "this system refuses user namespaces");
  MUST(!refused);
  for (size_t i = 0; i < 1000; ++i) in_new_namespace(i);
  truth_print(1, &row_in_new_namespace, NULL);
  return 0;
}
