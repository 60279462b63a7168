// W4: buffers that grow by realloc to 1 to 64 MB, and big blocks that come and go.
//
// realloc_growth ROUNDS
#include <stdlib.h>
#include <string.h>

#include "loop_clock.h"

enum { kBuffers = 8 };

// Grows by an eighth, as a vector of text does; every new part is written.
__attribute__((noinline)) static uint64_t Grow(size_t limit) {
  size_t size = 64;
  char* buffer = malloc(size);
  memset(buffer, 1, size);
  while (size < limit) {
    const size_t wanted = size + size / 8 + 16;
    char* moved = realloc(buffer, wanted);
    if (moved == NULL) break;
    memset(moved + size, 2, wanted - size < 65536 ? wanted - size : 65536);
    buffer = moved;
    size = wanted;
  }
  free(buffer);
  return size;
}

__attribute__((noinline)) static uint64_t BigBuffers(uint64_t* state) {
  char* buffers[kBuffers];
  uint64_t sum = 0;
  for (int i = 0; i < kBuffers; ++i) {
    const size_t size = 64 * 1024 + NextRandom(state) % (1 << 20);
    buffers[i] = malloc(size);
    memset(buffers[i], 3, 4096);
    sum += size;
  }
  for (int i = 0; i < kBuffers; ++i) free(buffers[i]);
  return sum;
}

// Many small buffers that grow a few times, like lines that are read.
__attribute__((noinline)) static uint64_t SmallBuffers(uint64_t* state) {
  uint64_t sum = 0;
  for (int i = 0; i < 2000; ++i) {
    size_t size = 16;
    char* line = malloc(size);
    for (uint64_t steps = NextRandom(state) % 12; steps > 0; --steps) {
      size += size / 2;
      line = realloc(line, size);
      line[size - 1] = 4;
    }
    sum += size;
    free(line);
  }
  return sum;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;
  uint64_t state = 1, sum = 0;
  const LoopClock start = StartLoop();
  for (int i = 0; i < rounds; ++i) {
    sum += Grow((size_t)1 << (20 + i % 7));
    for (int k = 0; k < 20; ++k) sum += BigBuffers(&state);
    sum += SmallBuffers(&state);
  }
  EndLoop(start, (uint64_t)rounds, sum);
  return 0;
}
