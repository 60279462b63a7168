// W1, the worst case for a profiler that takes stacks: nothing but malloc and free, each from under 13 frames without
// frame pointers, at 64 places in the code, with lognormal sizes of 16 to 1024 bytes and 10,000 blocks live.
//
// deep_pairs PAIRS
#include <math.h>
#include <stdlib.h>

#include "loop_clock.h"

enum { kLive = 10000, kSizes = 4096, kPlaces = 64 };

static void* g_live[kLive];
static uint16_t g_sizes[kSizes];

// One function per place: it gives back the block in the slot and allocates another.
#define PLACE(n)                                                                 \
  __attribute__((noinline)) static void Place##n(uint32_t slot, uint32_t size) { \
    free(g_live[slot]);                                                          \
    char* block = malloc(size);                                                  \
    block[0] = (char)(n);                                                        \
    g_live[slot] = block;                                                        \
  }
#define PLACES8(n) PLACE(n##0) PLACE(n##1) PLACE(n##2) PLACE(n##3) PLACE(n##4) PLACE(n##5) PLACE(n##6) PLACE(n##7)
PLACES8(1)
PLACES8(2) PLACES8(3) PLACES8(4) PLACES8(5) PLACES8(6) PLACES8(7) PLACES8(8)

#define NAMES8(n) Place##n##0, Place##n##1, Place##n##2, Place##n##3, Place##n##4, Place##n##5, Place##n##6, Place##n##7
    static void (*const g_places[kPlaces])(uint32_t, uint32_t) = {NAMES8(1), NAMES8(2), NAMES8(3), NAMES8(4),
                                                                  NAMES8(5), NAMES8(6), NAMES8(7), NAMES8(8)};

// Ten functions that call each other; frames of several sizes, as in real programs. The asm keeps the call from being a
// jump.
#define LEVEL(n, next, words)                                           \
  __attribute__((noinline)) static uint32_t Level##n(uint64_t random) { \
    uint32_t room[words];                                               \
    room[random % words] = (uint32_t)random;                            \
    __asm__ volatile("" : : "r"(room) : "memory");                      \
    return next(random) + (room[random % words] & 1);                   \
  }
__attribute__((noinline)) static uint32_t Bottom(uint64_t random) {
  g_places[random & (kPlaces - 1)]((uint32_t)(random >> 32) % kLive, g_sizes[(random >> 8) & (kSizes - 1)]);
  return (uint32_t)random;
}
LEVEL(9, Bottom, 2)
LEVEL(8, Level9, 4)
LEVEL(7, Level8, 2)
LEVEL(6, Level7, 8)
LEVEL(5, Level6, 2)
LEVEL(4, Level5, 4)
LEVEL(3, Level4, 16)
LEVEL(2, Level3, 2)
LEVEL(1, Level2, 4)

static void FillSizes(uint64_t* state) {
  for (int i = 0; i < kSizes; ++i) {
    const double u = ((double)(NextRandom(state) >> 11) + 1) / 9007199254740994.0;
    const double v = (double)(NextRandom(state) >> 11) / 9007199254740992.0;
    const double size = exp(4.6 + 0.9 * sqrt(-2 * log(u)) * cos(6.283185307179586 * v));
    g_sizes[i] = (uint16_t)(size < 16 ? 16 : size > 1024 ? 1024 : size);
  }
}

int main(int argc, char** argv) {
  const uint64_t pairs = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000;
  uint64_t state = 1;
  FillSizes(&state);
  uint64_t sum = 0;
  const LoopClock start = StartLoop();
  for (uint64_t i = 0; i < pairs; ++i) sum += Level1(NextRandom(&state));
  EndLoop(start, pairs, sum);
  return 0;
}
