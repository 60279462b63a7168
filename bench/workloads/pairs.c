// The smallest loops there are: what one malloc and one free cost.
//
// pairs pair|window THREADS PAIRS
//   pair    allocate, touch, free
//   window  4,096 live blocks in each thread; each round frees one and allocates another
// Sizes of 16 to 512 bytes from a fixed table. PAIRS is for each thread.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "loop_clock.h"

enum { kWindow = 4096, kMostThreads = 16 };

static uint64_t g_pairs;
static int g_window;
static uint16_t g_sizes[kWindow];

__attribute__((noinline)) static void RunPairs(void) {
  for (uint64_t i = 0; i < g_pairs; ++i) {
    volatile char* block = malloc(g_sizes[i & (kWindow - 1)]);
    block[0] = 1;
    free((void*)block);
  }
}

__attribute__((noinline)) static void RunWindow(void) {
  void** live = calloc(kWindow, sizeof(void*));
  for (uint64_t i = 0; i < g_pairs; ++i) {
    const uint64_t slot = (i * 2654435761u) & (kWindow - 1);
    free(live[slot]);
    char* block = malloc(g_sizes[i & (kWindow - 1)]);
    block[0] = 1;
    live[slot] = block;
  }
  for (int i = 0; i < kWindow; ++i) free(live[i]);
  free(live);
}

static void* Work(void* unused) {
  if (g_window) {
    RunWindow();
  } else {
    RunPairs();
  }
  return unused;
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  g_window = strcmp(argv[1], "window") == 0;
  const int threads = atoi(argv[2]);
  if (threads < 1 || threads > kMostThreads) return 2;
  g_pairs = strtoull(argv[3], NULL, 0);
  uint64_t state = 1;
  for (int i = 0; i < kWindow; ++i) g_sizes[i] = (uint16_t)(16 + NextRandom(&state) % 497);
  pthread_t thread[kMostThreads];
  const LoopClock start = StartLoop();
  for (int i = 1; i < threads; ++i) pthread_create(&thread[i], NULL, Work, NULL);
  Work(NULL);
  for (int i = 1; i < threads; ++i) pthread_join(thread[i], NULL);
  EndLoop(start, g_pairs * (uint64_t)threads, 0);
  return 0;
}
