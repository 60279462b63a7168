// libc loads and unloads its character converters without any call of dlopen or dlclose, and puts one at the addresses of
// another. Each of the functions below makes the converter of its own name allocate. Prints how often two different converters were seen at
// one address; ends with 77 if libc has no converters.
#include <iconv.h>

#include "truth.h"

enum { kMost = 4096 };
static unsigned long seen_at[kMost];
static const char *seen_name[kMost];
static int seen, reused;

static void note_where(const char *file) {
  char line[512];
  FILE *maps = fopen("/proc/self/maps", "r");
  MUST(maps);
  while (fgets(line, sizeof line, maps)) {
    unsigned long start;
    if (!strstr(line, file) || !strstr(line, "r-xp") || sscanf(line, "%lx", &start) != 1) continue;
    for (int i = 0; i < seen; ++i) {
      if (seen_at[i] == start && strcmp(seen_name[i], file) != 0) ++reused;
    }
    if (seen < kMost) {
      seen_at[seen] = start;
      seen_name[seen++] = file;
    }
    break;
  }
  fclose(maps);
}

#define CONVERTER(function, charset, file)                    \
  SITE static void function(void) {                           \
    iconv_t converter = iconv_open("UTF-8", charset);         \
    if (converter == (iconv_t)-1) exit(77);                   \
    note_where("/" file);                                     \
    iconv_close(converter);                                   \
  }
CONVERTER(by_utf_16, "UTF-16", "UTF-16.so")
CONVERTER(by_utf_32, "UTF-32", "UTF-32.so")
CONVERTER(by_unicode, "UNICODE", "UNICODE.so")
CONVERTER(by_iso_2022_jp, "ISO-2022-JP", "ISO-2022-JP.so")
CONVERTER(by_iso646, "GB_1988-80", "ISO646.so")

int main(void) {
  static void (*const all[])(void) = {by_utf_16, by_utf_32, by_unicode, by_iso_2022_jp, by_iso646};
  for (int i = 0; i < 400; ++i) all[(i / 5 * 3 + i / 4) % 5]();
  printf("%d reused\n", reused);
  return 0;
}
