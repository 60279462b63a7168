// Does what it is told, line by line on stdin, and answers "ok": "keep COUNT BYTES" allocates and keeps, "drop" frees all that
// is kept (oldest first), "churn COUNT BYTES" allocates and frees at once, "grow COUNT BYTES" reallocs what is kept last,
// "fork COUNT BYTES" churns in a child, "end". Prints its pid first. Nothing else of it allocates.
#include <sys/wait.h>

#include "truth.h"

enum { kMost = 1 << 20 };
static void *kept[kMost];
static long kept_count;

SITE static void keep(long count, size_t bytes) {
  for (long i = 0; i < count && kept_count < kMost; ++i) kept[kept_count++] = malloc(bytes);
}

SITE static void drop(void) {
  for (long i = 0; i < kept_count; ++i) free(kept[i]);
  kept_count = 0;
}

SITE static void churn(long count, size_t bytes) {
  for (long i = 0; i < count; ++i) {
    void *volatile block = malloc(bytes);
    free(block);
  }
}

SITE static void grow(long count, size_t bytes) {
  for (long i = 0; i < count && i < kept_count; ++i) kept[kept_count - 1 - i] = realloc(kept[kept_count - 1 - i], bytes);
}

static int read_line(char *line, size_t room) {
  size_t length = 0;
  while (length + 1 < room) {
    if (read(0, line + length, 1) != 1) return 0;
    if (line[length] == '\n') break;
    ++length;
  }
  line[length] = 0;
  return 1;
}

int main(void) {
  char line[128], answer[32];
  snprintf(answer, sizeof answer, "%d\n", getpid());
  say(1, answer);
  while (read_line(line, sizeof line)) {
    long count = 0, bytes = 0;
    char word[16] = "";
    sscanf(line, "%15s %ld %ld", word, &count, &bytes);
    if (!strcmp(word, "keep")) keep(count, (size_t)bytes);
    if (!strcmp(word, "drop")) drop();
    if (!strcmp(word, "churn")) churn(count, (size_t)bytes);
    if (!strcmp(word, "grow")) grow(count, (size_t)bytes);
    if (!strcmp(word, "fork")) {
      const pid_t child = fork();
      if (child == 0) {
        churn(count, (size_t)bytes);
        exit(0);
      }
      MUST(waitpid(child, NULL, 0) == child);
    }
    if (!strcmp(word, "end")) return 0;
    say(1, "ok\n");
  }
  return 1;
}
