// Prints what a process can see of itself and what a profiler may not change: its descriptors, threads, signal handlers and
// masks, timers, limits, keys for thread-local storage, working directory, umask, session. Before main's first allocation, and again behind
// many of them.
#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "truth.h"

static void *volatile kept;

SITE static void allocate(int path) {
  if (path > 1) return path % 2 ? allocate(path / 2) : allocate(path / 2);
  free(kept);
  kept = malloc(1000);
}

static void print_lines_of(const char *path, const char *const *wanted) {
  char line[512];
  FILE *file = fopen(path, "r");
  MUST(file);
  while (fgets(line, sizeof line, file)) {
    for (const char *const *prefix = wanted; *prefix; ++prefix) {
      if (strncmp(line, *prefix, strlen(*prefix)) == 0) fputs(line, stdout);
    }
  }
  fclose(file);
}

static void print_descriptors(void) {
  DIR *folder = opendir("/proc/self/fd");
  MUST(folder);
  int highest = -1, count = 0;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] == '.' || atoi(entry->d_name) == dirfd(folder)) continue;
    if (atoi(entry->d_name) > highest) highest = atoi(entry->d_name);
    ++count;
  }
  printf("descriptors %d, highest %d, next %d\n", count, highest, dirfd(folder));
  closedir(folder);
}

static void print_handlers(void) {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action;
    if (sigaction(signal, NULL, &action) == 0 && action.sa_handler != SIG_DFL) printf("handler of %d\n", signal);
  }
  struct itimerval timer;
  for (int which = 0; which < 3; ++which) MUST(getitimer(which, &timer) == 0 && timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0);
}

static void print_all(void) {
  static const char *const wanted[] = {"Umask:",  "TracerPid:", "FDSize:", "Threads:", "SigPnd:",     "ShdPnd:",
                                       "SigBlk:", "SigIgn:",    "SigCgt:", "CapEff:",  "NoNewPrivs", "Seccomp:",   "nothing", NULL};
  print_lines_of("/proc/self/status", wanted);
  print_descriptors();
  print_handlers();
  for (int limit = 0; limit < RLIMIT_NLIMITS; ++limit) {
    struct rlimit value;
    MUST(getrlimit(limit, &value) == 0);
    printf("limit %d: %llx %llx\n", limit, (unsigned long long)value.rlim_cur, (unsigned long long)value.rlim_max);
  }
  char folder[PATH_MAX];
  MUST(getcwd(folder, sizeof folder));
  int subreaper = 0, death_signal = 0;
  prctl(PR_GET_CHILD_SUBREAPER, &subreaper);
  prctl(PR_GET_PDEATHSIG, &death_signal);
  printf("in %s, dumpable %d, subreaper %d, death signal %d, nice %d, leads %d\n", folder, prctl(PR_GET_DUMPABLE), subreaper,
         death_signal, getpriority(PRIO_PROCESS, 0), getpgrp() == getpid());
}

int main(void) {
  print_all();
  for (int i = 0; i < 50000; ++i) allocate(i % 4096);
  pthread_key_t key;
  int keys = 0;
  while (pthread_key_create(&key, NULL) == 0) ++keys;
  printf("keys %d\n", keys);
  print_all();
  return 0;
}
