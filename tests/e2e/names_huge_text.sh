#!/usr/bin/env bash
# The program moves its own text to anonymous memory (as for huge pages): it is still the file's code, with its names and lines.
. "$(dirname "$0")/lib.sh"
need gcc
cat >"$tmp/main.c" <<'C'
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
void *volatile kept;
extern char __executable_start, __etext;
__attribute__((noinline)) void of_moved_text(void) { kept = malloc(6000); }  // line: moved
int main(void) {
  uintptr_t start = (uintptr_t)main & -4096ul, end = ((uintptr_t)&__etext + 4095) & -4096ul;
  for (uintptr_t at = start; at > (uintptr_t)&__executable_start + 4096; at -= 4096) start = at;
  char *copy = mmap(NULL, end - start, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(copy, (void *)start, end - start);
  if (mprotect(copy, end - start, PROT_READ | PROT_EXEC)) return 1;
  if (mremap(copy, end - start, end - start, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)start) != (void *)start) return 2;
  of_moved_text();
  char line[512], anonymous = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) {
    unsigned long from, to, inode;
    if (sscanf(line, "%lx-%lx %*s %*s %*s %lu", &from, &to, &inode) == 3 && (uintptr_t)main >= from && (uintptr_t)main < to) anonymous = inode == 0;
  }
  return anonymous ? 0 : 3;
}
C
gcc -g -O1 -w -o "$tmp/prog" "$tmp/main.c" || fail "gcc"
profile exact "$tmp/prog"
expect 0
site of_moved_text main.c "$(grep -n '// line: moved$' "$tmp/main.c" | cut -d: -f1)" 1 6000
finish
