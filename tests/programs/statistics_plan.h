// What statistics_sites.c allocates, line by line: the program does it, and tests/statistics/model.cc runs the sampler
// and the estimator over the same lines. C and C++.
//
// PLAN(site, thread, size, count, freed): `count` blocks of `size` bytes, of which `freed` end before the process does.
// kMain: the main thread; kEach: as many again in each of two threads, which do the same at the same time, so that draws
// that were not independent would show. Where all are freed, each is freed at once. A site may have several lines.
// CHAIN(size, count, freed): the same for the steps of realloc chains, smallest first; only the last step's are freed by
// free, all others by the next step.
#pragma once

#include <stddef.h>

enum { kPlanPeriod = 65536, kPlanThreads = 2 };
enum plan_thread { kMain, kEach };

#define STATISTICS_PLAN                                  \
  PLAN(eight_bytes, kMain, 8, 100000, 40000)             \
  PLAN(small_blocks, kMain, 64, 20000, 10000)            \
  PLAN(few_small_blocks, kMain, 64, 3000, 1000)          \
  PLAN(kilobytes, kMain, 1024, 2000, 700)                \
  PLAN(half_periods, kMain, kPlanPeriod / 2, 12, 4)      \
  PLAN(three_periods, kMain, 3 * kPlanPeriod, 20, 8)     \
  PLAN(mixed, kMain, 16, 10000, 5000)                    \
  PLAN(mixed, kMain, 4 * kPlanPeriod, 5, 2)              \
  PLAN(churn, kMain, 1024, 3000, 3000)                   \
  PLAN(unseen, kMain, 64, 20, 0)                         \
  PLAN(thread_kilobytes, kEach, 1024, 640, 160)          \
  PLAN(thread_small_blocks, kEach, 64, 8000, 2000)

#define STATISTICS_CHAIN_START 16
#define STATISTICS_CHAINS 6
#define STATISTICS_CHAINS_FREED 3
#define STATISTICS_CHAIN_END 262144
