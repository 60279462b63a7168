// Three threads that deadlock with a profiler that takes the loader's lock in a hook: one allocates inside
// dl_iterate_phdr's callback, one opens and closes a library (argv[1]), one allocates while it holds a lock that the
// callback wants. Ends by itself, or hangs and is killed by the test's time limit.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include "truth.h"

enum { kRounds = 3000 };
TRUTH_ROW(in_callback);
TRUTH_ROW(under_lock);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *library;

SITE static void in_callback(void) {
  void *block = malloc(200);
  took(&row_in_callback, 200);
  free(block);
  gave(&row_in_callback, 200);
}

SITE static void under_lock(size_t bytes) {
  void *block = malloc(bytes);
  took(&row_under_lock, bytes);
  free(block);
  gave(&row_under_lock, bytes);
}

static int callback(struct dl_phdr_info *info, size_t size, void *data) {
  (void)info, (void)size, (void)data;
  pthread_mutex_lock(&lock);
  in_callback();
  pthread_mutex_unlock(&lock);
  return 0;
}

static void *iterate(void *argument) {
  for (int i = 0; i < kRounds; ++i) dl_iterate_phdr(callback, NULL);
  return argument;
}

static void *open_and_close(void *argument) {
  for (int i = 0; i < kRounds / 10; ++i) {
    void *handle = dlopen(library, RTLD_NOW);
    MUST(handle);
    dlclose(handle);
  }
  return argument;
}

static void *allocate(void *argument) {
  for (int i = 0; i < kRounds * 10; ++i) {
    pthread_mutex_lock(&lock);
    under_lock((size_t)(i % 900));
    pthread_mutex_unlock(&lock);
  }
  return argument;
}

int main(int argc, char **argv) {
  MUST(argc > 1);
  library = argv[1];
  void *(*const role[3])(void *) = {iterate, open_and_close, allocate};
  pthread_t thread[3];
  for (int i = 0; i < 3; ++i) MUST(pthread_create(&thread[i], NULL, role[i], NULL) == 0);
  for (int i = 0; i < 3; ++i) pthread_join(thread[i], NULL);
  truth_print(1, &row_in_callback, &row_under_lock, NULL);
  return 0;
}
