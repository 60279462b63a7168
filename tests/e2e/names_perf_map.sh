#!/usr/bin/env bash
# Generated code is named by the perf map that its compiler writes: the last line wins, and the map may be gone at the end.
. "$(dirname "$0")/lib.sh"
need gcc
cat >"$tmp/main.c" <<'C'
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
void *volatile kept;
static void of_program(void) { kept = malloc(6000); }
int main(void) {
  char name[64];
  snprintf(name, sizeof name, "/tmp/perf-%d.map", getpid());
  unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED) return 77;
  // sub $8,%rsp; call *%rdi; add $8,%rsp; ret
  memcpy(code + 64, "\x48\x83\xec\x08\xff\xd7\x48\x83\xc4\x08\xc3", 11);
  FILE *map = fopen(name, "w");
  fprintf(map, "%lx 1000 thrown_away\n%lx b generated code\n", (long)code, (long)(code + 64));
  fclose(map);
  ((void (*)(void (*)(void)))(code + 64))(of_program);
  usleep(700000);
  unlink(name);
  return 0;
}
C
gcc -g -O1 -w -o "$tmp/prog" "$tmp/main.c" || fail "gcc"
profile exact "$tmp/prog"
maybe_skip
expect 0
frames=$(get '[f["function"] for s in sites_with(profiles[0], "of_program") for f in s["frames"]]')
grep -q "'of_program', 'generated code'" <<<"$frames" || fail "frames are $frames"
finish
