// How a workload reports its own loop: one line on standard output with what it did and what the loop took, without the
// start and the end of the process. CPU time is that of the whole process, so threads add up.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <time.h>

typedef struct {
  double wall_seconds, cpu_seconds;
} LoopClock;

static inline double ReadSeconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline LoopClock StartLoop(void) {
  LoopClock start;
  start.wall_seconds = ReadSeconds(CLOCK_MONOTONIC);
  start.cpu_seconds = ReadSeconds(CLOCK_PROCESS_CPUTIME_ID);
  return start;
}

// `events`: what the loop did that often (pairs, threads, rounds): compare.py divides the loop's time by it.
static inline void EndLoop(LoopClock start, uint64_t events, uint64_t bytes) {
  const double cpu = ReadSeconds(CLOCK_PROCESS_CPUTIME_ID) - start.cpu_seconds;
  const double wall = ReadSeconds(CLOCK_MONOTONIC) - start.wall_seconds;
  printf("events=%llu bytes=%llu loop_wall=%.6f loop_cpu=%.6f\n", (unsigned long long)events, (unsigned long long)bytes,
         wall, cpu);
}

// A generator that is the same everywhere.
static inline uint64_t NextRandom(uint64_t* state) {
  uint64_t x = (*state += 0x9e3779b97f4a7c15ull);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}
