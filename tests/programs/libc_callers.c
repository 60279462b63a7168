// Allocations inside libc on behalf of a function of the program: strdup, strndup, getline, asprintf, open_memstream.
// The caller is what a person looks for. asprintf may take a larger buffer first and copy or shrink it: its row says so.
#include <wchar.h>

#include "truth.h"

TRUTH_ROW(by_strdup);
TRUTH_ROW(by_strndup);
TRUTH_ROW(by_wcsdup);
TRUTH_ROW(by_getline);
TRUTH_ROW(by_asprintf);

SITE static void by_strdup(void) {
  void *volatile copy = strdup("a string of thirty-one letters.");
  MUST(copy);
  took(&row_by_strdup, 32);
}

SITE static void by_strndup(void) {
  void *volatile copy = strndup("a string of thirty-one letters.", 10);
  MUST(copy);
  took(&row_by_strndup, 11);
}

SITE static void by_wcsdup(void) {
  void *volatile copy = wcsdup(L"wide");
  MUST(copy);
  took(&row_by_wcsdup, 5 * sizeof(wchar_t));
}

SITE static void by_getline(FILE *from) {
  char *line = NULL;
  size_t room = 0;
  rewind(from);
  MUST(getline(&line, &room, from) == 6);
  took(&row_by_getline, room);  // glibc asks for exactly what it reports
}

SITE static void by_asprintf(void) {
  char *text;
  MUST(asprintf(&text, "%d-%s", 123456, "tail") == 11);
  took(&row_by_asprintf, 12);
  begins(&row_by_asprintf, 200);
  begins_release(&row_by_asprintf, 200);
}

int main(void) {
  static char line[] = "hello\n";
  FILE *from = fmemopen(line, 6, "r");
  MUST(from);
  MUST(fgetc(from) == 'h');  // takes the stream's buffer, so that by_getline does not
  for (int i = 0; i < 100; ++i) {
    by_strdup();
    by_strndup();
    by_wcsdup();
    by_getline(from);
    by_asprintf();
  }
  truth_print(1, &row_by_strdup, &row_by_strndup, &row_by_wcsdup, &row_by_getline, &row_by_asprintf, NULL);
  return 0;
}
