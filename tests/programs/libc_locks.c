// What libc allocates while it holds locks of its own: atexit and on_exit (the list of handlers), setenv (the environment),
// tzset (the time zone), pthread_getattr_np (the thread), fopen (the list of streams). Two threads at once: a hook that called
// any of these, or waited for somebody who does, would hang sooner or later. Prints what came of it.
#include <pthread.h>
#include <time.h>

#include "truth.h"

enum { kRounds = 2000 };
static pthread_mutex_t environment_lock = PTHREAD_MUTEX_INITIALIZER;

static void nothing(void) {}
static void nothing_on_exit(int status, void *argument) { (void)status, (void)argument; }

SITE static void by_atexit(int i) { MUST(i % 2 ? on_exit(nothing_on_exit, NULL) == 0 : atexit(nothing) == 0); }

SITE static void by_setenv(int thread, int i) {
  char name[32], text[32];
  snprintf(name, sizeof name, "VARIABLE_%d_%d", thread, i % 200);
  snprintf(text, sizeof text, "value %d", i);
  MUST(setenv(name, text, 1) == 0);
}

SITE static void by_tzset(int i) {
  static const char *const zones[] = {"EST5EDT", "CET-1CEST", "UTC0", "XYZ3:30"};
  MUST(setenv("TZ", zones[i % 4], 1) == 0);
  tzset();
}

SITE static void by_getattr(void) {
  pthread_attr_t attributes;
  MUST(pthread_getattr_np(pthread_self(), &attributes) == 0);
  pthread_attr_destroy(&attributes);
}

SITE static void by_fopen(void) {
  FILE *file = fopen("/dev/null", "w");
  MUST(file && fputs("text", file) >= 0 && fclose(file) == 0);
}

static void *worker(void *number) {
  for (int i = 0; i < kRounds; ++i) {
    by_atexit(i);
    pthread_mutex_lock(&environment_lock);  // tzset reads the environment without libc's lock for it
    by_setenv((int)(long)number, i);
    by_tzset(i);
    pthread_mutex_unlock(&environment_lock);
    if (i % 10 == 0) by_getattr();
    by_fopen();
  }
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) MUST(pthread_create(&threads[i], NULL, worker, (void *)i) == 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < 400; ++i) {
    char name[32];
    snprintf(name, sizeof name, "VARIABLE_%d_%d", i / 200, i % 200);
    MUST(getenv(name) != NULL);
  }
  say(1, "done\n");
  return 0;
}
