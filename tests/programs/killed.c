// Allocates, frees and reallocs (64 KiB to 1 GiB, with argv[2] = "huge") for ever, to be killed at any moment. Its truth
// lies in a shared file (argv[1]): each count is raised before and after the call, so that at most the calls in flight
// are in doubt. Two threads; each row is written by one.
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

#include "truth.h"

// The file: rows of a 32-byte name and nine 64-bit counts, as in struct truth_row; check.py --rows reads it.
struct file_row {
  char function[32];
  struct truth_row row;
};
static struct file_row *rows;
enum { kChurn, kTable, kThread };

SITE static void *churn_block(size_t bytes) {
  begins(&rows[kChurn].row, bytes);
  void *block = malloc(bytes);
  took(&rows[kChurn].row, bytes);
  ends(&rows[kChurn].row, bytes);
  return block;
}

SITE static void *thread_block(size_t bytes) {
  begins(&rows[kThread].row, bytes);
  void *block = malloc(bytes);
  took(&rows[kThread].row, bytes);
  ends(&rows[kThread].row, bytes);
  return block;
}

SITE static void *resize_table(void *table, size_t old_bytes, size_t bytes) {
  begins(&rows[kTable].row, bytes);
  if (table) begins_release(&rows[kTable].row, old_bytes);
  table = realloc(table, bytes);
  if (!table) _exit(98);
  took(&rows[kTable].row, bytes);
  ends(&rows[kTable].row, bytes);
  if (old_bytes) {
    gave(&rows[kTable].row, old_bytes);
    ends_release(&rows[kTable].row, old_bytes);
  }
  return table;
}

static void end_block(struct truth_row *row, void *block, size_t bytes) {
  begins_release(row, bytes);
  free(block);
  gave(row, bytes);
  ends_release(row, bytes);
}

static void *worker(void *argument) {
  static void *ring[256];
  static size_t size[256];
  for (unsigned i = 0;; ++i) {
    unsigned at = i % 256;
    if (ring[at]) end_block(&rows[kThread].row, ring[at], size[at]);
    size[at] = i % 5000;
    ring[at] = thread_block(size[at]);
  }
  return argument;
}

int main(int argc, char **argv) {
  MUST(argc > 1);
  int file = open(argv[1], O_RDWR | O_CREAT, 0600);
  MUST(file >= 0 && ftruncate(file, 4096) == 0);
  rows = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  MUST(rows != MAP_FAILED);
  strcpy(rows[kChurn].function, "churn_block");
  strcpy(rows[kTable].function, "resize_table");
  strcpy(rows[kThread].function, "thread_block");
  size_t most = argc > 2 && strcmp(argv[2], "huge") == 0 ? (size_t)1 << 30 : 1 << 20;
  pthread_t thread;
  MUST(pthread_create(&thread, NULL, worker, NULL) == 0);
  say(1, "running\n");
  for (size_t bytes = 0, next = 65536;; bytes = next, next = next >= most ? 65536 : next * 2) {
    static void *table;
    table = resize_table(table, bytes, next);
    if (next <= (1 << 20)) memset(table, 1, next);
    for (size_t i = 0; i < 200; ++i) end_block(&rows[kChurn].row, churn_block(i * 10), i * 10);
  }
}
