// Threads that are named in every way: by themselves, by their creator, by prctl, not at all; many with a number behind
// their name; more names than a list of 127 holds; and after a sandbox was announced. All allocate in one function along one
// stack. What each name allocated is printed as "name objects bytes".
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "truth.h"

TRUTH_ROW(leak);

SITE static void leak(size_t bytes) {
  void *volatile block = malloc(bytes);
  (void)block;
  took(&row_leak, bytes);
}

enum kind { kBySelf, kByPrctl, kByCreator, kUnnamed };
struct order {
  enum kind kind;
  char name[16];
  int turns;
  size_t bytes;
  int has_allocated, is_named;
};

static void wait_for(int *flag) {
  while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) sched_yield();
}

static void *thread(void *argument) {
  struct order *order = argument;
  if (order->kind == kBySelf) MUST(pthread_setname_np(pthread_self(), order->name) == 0);
  if (order->kind == kByPrctl) MUST(prctl(PR_SET_NAME, order->name) == 0);
  if (order->kind == kByCreator) {
    free(malloc(8));  // its first event comes before its name
    __atomic_store_n(&order->has_allocated, 1, __ATOMIC_RELEASE);
    wait_for(&order->is_named);
  }
  for (int i = 0; i < order->turns; ++i) leak(order->bytes);
  return NULL;
}

static void run(enum kind kind, const char *name, int turns, size_t bytes) {
  struct order order = {.kind = kind, .turns = turns, .bytes = bytes};
  snprintf(order.name, sizeof order.name, "%s", name);
  pthread_t id;
  MUST(pthread_create(&id, NULL, thread, &order) == 0);
  if (kind == kByCreator) {
    wait_for(&order.has_allocated);
    MUST(pthread_setname_np(id, name) == 0);
    __atomic_store_n(&order.is_named, 1, __ATOMIC_RELEASE);
  }
  pthread_join(id, NULL);
}

int main(int count, char **arguments) {
  char name[16];
  const size_t unit = count > 1 ? (size_t)atol(arguments[1]) : 100;
  for (int i = 0; i < 64; ++i) {
    snprintf(name, sizeof name, "worker-%d", i);
    run(kBySelf, name, 10, unit);
  }
  for (int i = 0; i < 4; ++i) {
    snprintf(name, sizeof name, "io %d/4", i);
    run(kByCreator, name, 10, 2 * unit);
  }
  run(kByPrctl, "solo", 10, 3 * unit);
  run(kUnnamed, "", 10, 4 * unit);  // has its creator's name
  if (count > 2) {
    for (int i = 0; i < 150; ++i) {
      snprintf(name, sizeof name, "%c%c", 'a' + i / 20, 'a' + i % 20);
      run(kBySelf, name, 1, unit);
    }
  }
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 10; ++i) leak(5 * unit);
    run(kBySelf, "worker-65", 10, 6 * unit);
    _exit(0);
  }
  MUST(waitpid(child, NULL, 0) == child);
  MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  run(kUnnamed, "", 10, 7 * unit);
  run(kBySelf, "late", 10, 8 * unit);
  return 0;
}
