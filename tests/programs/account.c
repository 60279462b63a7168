// Resident memory of every kind, in sizes that can be told apart, and then a long wait. Writes its pid into the file named
// by the first argument when all of it is there. MiB: 24 by mmap, 16 by the bare system call, malloc: 20 in small blocks,
// 12 in one, 10 in small blocks of another thread, 3 of whose stack; 7 that malloc keeps; 40 reserved only.
#include "truth.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define MIB (1L << 20)

static char *touched(char *memory, long bytes) {
  MUST(memory != NULL && memory != MAP_FAILED);
  memset(memory, 1, (size_t)bytes);
  return memory;
}

SITE static void map_resident(void) {
  touched(mmap(NULL, 24 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 24 * MIB);
}

SITE static void map_reserved(void) {
  MUST(mmap(NULL, 40 * MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
}

SITE static void map_unseen(void) {
  touched((char *)syscall(SYS_mmap, NULL, 16 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 16 * MIB);
}

SITE static void small_blocks(long bytes) {
  for (long done = 0; done < bytes; done += 1000) touched(malloc(1000), 1000);
}

SITE static void keep(void) {
  static char *block[7 * 1024];
  for (int i = 0; i < 7 * 1024; ++i) block[i] = touched(malloc(1000), 1000);
  touched(malloc(1000), 1000);  // above them, so that the top stays where it is
  for (int i = 0; i < 7 * 1024; ++i) free(block[i]);
}

static void *thread_main(void *unused) {
  char stack[3 * MIB];
  touched(stack, sizeof stack);
  small_blocks(10 * MIB);
  __asm__ volatile("" : : "r"(stack) : "memory");
  *(volatile int *)unused = 1;
  for (;;) pause();
  return NULL;
}

int main(int argc, char **argv) {
  MUST(argc == 2);
  map_resident();
  map_reserved();
  small_blocks(20 * MIB);
  touched(malloc(12 * MIB), 12 * MIB);
  map_unseen();
  keep();
  pthread_t thread;
  volatile int ready = 0;
  MUST(pthread_create(&thread, NULL, thread_main, (void *)&ready) == 0);
  while (!ready) usleep(1000);
  FILE *file = fopen(argv[1], "w");
  MUST(file != NULL && fprintf(file, "%d\n", (int)getpid()) > 0 && fclose(file) == 0);
  for (;;) pause();
}
