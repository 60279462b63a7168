// Exact truth, kept by the program itself: what each of its functions allocated, and which of those blocks were released.
// Printed as one line of JSON on stdout, which tests/e2e/check.py compares with the profile.
//
// A row belongs to the function that *allocates*: a release is booked in the row of the function whose block ends, as in
// the profile. A realloc is one allocation of the full new size in its caller's row, and one release of the old block.
// Nothing here allocates, and no stdio is used, so that the rows can be all that a program allocates.
#pragma once

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__clang__)
#define SITE __attribute__((noinline, optnone))
#else
#define SITE __attribute__((noinline, noclone, noipa))
#endif

// Set by a program that may not even call getpid any more; its line then has pid 0, and the checker goes by the name.
static int truth_confined;

struct truth_row {
  const char *function;
  long allocations, allocated_bytes, frees, freed_bytes, reallocs;
  // Calls that were begun and may never have come back (a jump out of a handler, a kill): the profile may hold them or not.
  long maybe_allocations, maybe_allocated_bytes, maybe_frees, maybe_freed_bytes;
};

// Declares the row of one function: TRUTH_ROW(leak_a); then took(&row_leak_a, bytes).
#define TRUTH_ROW(name) static struct truth_row row_##name = {#name, 0, 0, 0, 0, 0, 0, 0, 0, 0}

static inline void took(struct truth_row *row, size_t bytes) {
  __atomic_add_fetch(&row->allocations, 1, __ATOMIC_RELAXED);
  __atomic_add_fetch(&row->allocated_bytes, (long)bytes, __ATOMIC_RELAXED);
}

static inline void gave(struct truth_row *row, size_t bytes) {
  __atomic_add_fetch(&row->frees, 1, __ATOMIC_RELAXED);
  __atomic_add_fetch(&row->freed_bytes, (long)bytes, __ATOMIC_RELAXED);
}

// A successful realloc in the function of `row`, of a block that `old_row` allocated.
static inline void moved(struct truth_row *row, size_t bytes, struct truth_row *old_row, size_t old_bytes) {
  took(row, bytes);
  gave(old_row, old_bytes);
  __atomic_add_fetch(&row->reallocs, 1, __ATOMIC_RELAXED);
}

// Around a call that may not come back: begins(row, n), malloc, took(row, n), ends(row, n); the same for releases.
static inline void begins(struct truth_row *row, size_t bytes) {
  __atomic_add_fetch(&row->maybe_allocations, 1, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&row->maybe_allocated_bytes, (long)bytes, __ATOMIC_SEQ_CST);
}
static inline void ends(struct truth_row *row, size_t bytes) {
  __atomic_sub_fetch(&row->maybe_allocations, 1, __ATOMIC_SEQ_CST);
  __atomic_sub_fetch(&row->maybe_allocated_bytes, (long)bytes, __ATOMIC_SEQ_CST);
}
static inline void begins_release(struct truth_row *row, size_t bytes) {
  __atomic_add_fetch(&row->maybe_frees, 1, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&row->maybe_freed_bytes, (long)bytes, __ATOMIC_SEQ_CST);
}
static inline void ends_release(struct truth_row *row, size_t bytes) {
  __atomic_sub_fetch(&row->maybe_frees, 1, __ATOMIC_SEQ_CST);
  __atomic_sub_fetch(&row->maybe_freed_bytes, (long)bytes, __ATOMIC_SEQ_CST);
}

// Writes all of `text` to `fd` by the system call alone.
static inline void say(int fd, const char *text) {
  size_t left = strlen(text);
  while (left > 0) {
    ssize_t n = write(fd, text, left);
    if (n <= 0) return;
    text += n;
    left -= (size_t)n;
  }
}

// Prints rows as one line: truth_print(fd, &row_a, &row_b, NULL). Makes getpid and write, no other system call.
static inline void truth_print(int fd, ...) {
  static char line[16384];
  int at = snprintf(line, sizeof line, "{\"pid\": %d, \"exe\": \"%s\", \"truth\": [",
                    truth_confined ? 0 : (int)getpid(), program_invocation_short_name);
  va_list rows;
  va_start(rows, fd);
  const char *comma = "";
  for (struct truth_row *row; (row = va_arg(rows, struct truth_row *)) != NULL; comma = ", ")
    at += snprintf(line + at, sizeof line - (size_t)at,
                   "%s{\"function\": \"%s\", \"allocations\": %ld, \"allocated_bytes\": %ld, \"frees\": %ld, "
                   "\"freed_bytes\": %ld, \"reallocs\": %ld, \"live_objects\": %ld, \"live_bytes\": %ld, "
                   "\"maybe\": [%ld, %ld, %ld, %ld]}",
                   comma, row->function, row->allocations, row->allocated_bytes, row->frees, row->freed_bytes,
                   row->reallocs, row->allocations - row->frees, row->allocated_bytes - row->freed_bytes,
                   row->maybe_allocations, row->maybe_allocated_bytes, row->maybe_frees, row->maybe_freed_bytes);
  va_end(rows);
  snprintf(line + at, sizeof line - (size_t)at, "]}\n");
  say(fd, line);
}

// Ends the program with a message when what it relies on, or what it must see unchanged, does not hold.
#define MUST(condition)                                                                    \
  do {                                                                                     \
    if (!(condition)) {                                                                    \
      char must_text[512];                                                                 \
      snprintf(must_text, sizeof must_text, "%s:%d: not so: %s (errno %d)\n", __FILE__, __LINE__, #condition, errno); \
      say(2, must_text);                                                                   \
      _exit(99);                                                                           \
    }                                                                                      \
  } while (0)
#define SKIP_IF(condition, why)   \
  do {                            \
    if (condition) {              \
      say(2, "skip: " why "\n");  \
      _exit(77);                  \
    }                             \
  } while (0)
