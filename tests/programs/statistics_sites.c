// Sites fixed beforehand, for tests of the statistics: small blocks, blocks about the period and above it, both at one
// site, churn, a site that is hardly ever sampled, realloc chains, two threads. Always the same calls, so that runs differ
// by the sampler's draws alone. Prints its truth, and {"peak_live_bytes": N}: all live bytes just before the first free
// of a block that lived (what is freed at once never adds to it, and only the main thread is left then).
#include <pthread.h>

#include "statistics_plan.h"
#include "truth.h"

// One function a site: the row, and the only call of malloc that it has.
#define SITE_FUNCTION(name)          \
  TRUTH_ROW(name);                   \
  SITE static void *name(size_t n) { \
    void *block = malloc(n);         \
    took(&row_##name, n);            \
    return block;                    \
  }
SITE_FUNCTION(eight_bytes)
SITE_FUNCTION(small_blocks)
SITE_FUNCTION(few_small_blocks)
SITE_FUNCTION(kilobytes)
SITE_FUNCTION(half_periods)
SITE_FUNCTION(three_periods)
SITE_FUNCTION(mixed)
SITE_FUNCTION(churn)
SITE_FUNCTION(unseen)
SITE_FUNCTION(thread_kilobytes)
SITE_FUNCTION(thread_small_blocks)
SITE_FUNCTION(thread_begins)
SITE_FUNCTION(chain_start)
TRUTH_ROW(chain_step);

SITE static void *chain_step(void *block, size_t size, size_t old_size) {
  void *grown = realloc(block, size);
  moved(&row_chain_step, size, old_size == STATISTICS_CHAIN_START ? &row_chain_start : &row_chain_step, old_size);
  return grown;
}

struct line {
  void *(*allocate)(size_t);
  struct truth_row *row;
  enum plan_thread thread;
  size_t size;
  int count, freed;
};
#define PLAN(name, thread, size, count, freed) {name, &row_##name, thread, size, count, freed},
static const struct line lines[] = {STATISTICS_PLAN};
#undef PLAN
enum { kLines = sizeof lines / sizeof lines[0], kPlaces = 200000 };

// Blocks that are still to be freed, each thread's own.
static struct kept {
  void *block;
  const struct line *line;
} kept[1 + kPlanThreads][kPlaces];
static int kept_count[1 + kPlanThreads];

SITE static void allocate_lines(enum plan_thread thread, int number) {
  for (int i = 0; i < kLines; ++i) {
    const struct line *line = &lines[i];
    if (line->thread != thread) continue;
    for (int k = 0; k < line->count; ++k) {
      void *block = line->allocate(line->size);
      MUST(block != NULL);
      if (line->freed == line->count) {
        free(block);
        gave(line->row, line->size);
      } else if (k < line->freed) {
        MUST(kept_count[number] < kPlaces);
        kept[number][kept_count[number]++] = (struct kept){block, line};
      }
    }
  }
}

static void free_kept(int number) {
  for (int i = 0; i < kept_count[number]; ++i) {
    free(kept[number][i].block);
    gave(kept[number][i].line->row, kept[number][i].line->size);
  }
}

// The agent gives a thread its seed at the thread's first event: one after the other, so that a fixed seed gives each
// thread always the same draws.
static pthread_barrier_t all_have_begun;
static pthread_mutex_t one_begins = PTHREAD_MUTEX_INITIALIZER;
static int turn = 1;

static void *in_thread(void *number_of_thread) {
  const int number = (int)(size_t)number_of_thread;
  for (int mine = 0; !mine;) {
    pthread_mutex_lock(&one_begins);
    if ((mine = turn == number)) {
      free(thread_begins(0));
      gave(&row_thread_begins, 0);
      ++turn;
    }
    pthread_mutex_unlock(&one_begins);
  }
  pthread_barrier_wait(&all_have_begun);
  allocate_lines(kEach, number);
  return NULL;
}

static void run_threads(void) {
  pthread_t threads[kPlanThreads];
  pthread_barrier_init(&all_have_begun, NULL, kPlanThreads);
  for (int i = 0; i < kPlanThreads; ++i) MUST(pthread_create(&threads[i], NULL, in_thread, (void *)(size_t)(i + 1)) == 0);
  for (int i = 0; i < kPlanThreads; ++i) MUST(pthread_join(threads[i], NULL) == 0);
}

static void *chains[STATISTICS_CHAINS];

static void run_chains(void) {
  for (int i = 0; i < STATISTICS_CHAINS; ++i) {
    chains[i] = chain_start(STATISTICS_CHAIN_START);
    for (size_t size = 2 * STATISTICS_CHAIN_START; size <= STATISTICS_CHAIN_END; size *= 2)
      chains[i] = chain_step(chains[i], size, size / 2);
  }
}

static long live_bytes(void) {
  long live = 0;
  for (int i = 0; i < kLines; ++i) {
    int first = 1;
    for (int k = 0; k < i; ++k) first = first && lines[k].row != lines[i].row;
    if (first) live += lines[i].row->allocated_bytes - lines[i].row->freed_bytes;
  }
  return live + row_chain_start.allocated_bytes - row_chain_start.freed_bytes + row_chain_step.allocated_bytes - row_chain_step.freed_bytes;
}

int main(void) {
  allocate_lines(kMain, 0);
  run_threads();
  run_chains();
  const long peak = live_bytes();
  for (int i = 0; i <= kPlanThreads; ++i) free_kept(i);
  for (int i = 0; i < STATISTICS_CHAINS_FREED; ++i) {
    free(chains[i]);
    gave(&row_chain_step, STATISTICS_CHAIN_END);
  }
  truth_print(1, &row_eight_bytes, &row_small_blocks, &row_few_small_blocks, &row_kilobytes, &row_half_periods,
              &row_three_periods, &row_mixed, &row_churn, &row_unseen, &row_thread_kilobytes, &row_thread_small_blocks,
              &row_thread_begins, &row_chain_start, &row_chain_step, NULL);
  char text[64];
  snprintf(text, sizeof text, "{\"peak_live_bytes\": %ld}\n", peak);
  say(1, text);
  return 0;
}
