#!/usr/bin/env bash
# Code without unwind information: with frame pointers its callers are all there; without, the stack is cut at the first such
# function, and says so: no caller is left out or invented. The same for generated code.
. "$(dirname "$0")/lib.sh"
need gcc
cat >"$tmp/bare.c" <<'C'
#include <stdlib.h>
void *volatile kept;
void described(void (*call)(int), int n);
__attribute__((noinline)) static void inner(int n) { volatile char room[100]; room[n] = 1; kept = malloc(6000); room[n] = 2; }
__attribute__((noinline)) static void middle(int n) { volatile char room[33]; room[n] = 1; described(inner, n); room[n] = 2; }
__attribute__((noinline)) void outer(int n) { volatile char room[2000]; room[n] = 1; middle(n); inner(n); room[n] = 2; }
C
cat >"$tmp/main.c" <<'C'
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
void outer(int n);
// Its own rbp is another one: frame pointers alone would not lead through here.
__attribute__((noinline)) void described(void (*call)(int), int n) { call(n); asm volatile("" ::: "rbx", "rbp", "memory"); }
static void from_generated(void) { outer(2); asm volatile("" ::: "memory"); }
int main(void) {
  outer(1);
  unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED) return 77;
  memcpy(code + 64, "\x55\x48\x89\xe5\x48\x83\xec\x20\xff\xd7\xc9\xc3", 12);  // push %rbp; mov %rsp, %rbp; sub $32, %rsp; call *%rdi; leave; ret
  ((void (*)(void (*)(void)))(code + 64))(from_generated);
  return 0;
}
C
# Each stack, leaf first, and whether it was cut; libc's own frames left out.
in_order() { get "sorted(' '.join(f['function'] or 'code' for f in s['frames'] if f['module'] is None or not (f['module'].endswith('libc.so.6') or f['function'] == '_start')) + ' ' + str(s['truncated']) for s in profiles[0]['sites'] if value(s, 'allocated_bytes') == 6000)"; }
for pointers in no- ""; do
  gcc -g -O1 -w -fno-builtin -fno-asynchronous-unwind-tables -fno-unwind-tables -f${pointers}omit-frame-pointer -c -o "$tmp/bare.o" "$tmp/bare.c" &&
    gcc -g -O1 -w -fno-builtin -fomit-frame-pointer -o "$tmp/prog" "$tmp/main.c" "$tmp/bare.o" || fail "gcc"
  readelf -SW "$tmp/bare.o" | grep -q eh_frame && fail "the code is described: nothing is tested"
  profile exact "$tmp/prog"
  maybe_skip
  expect 0
  if [ "$pointers" = no- ]; then
    right="['inner described middle outer from_generated code main False', 'inner described middle outer main False', 'inner outer from_generated code main False', 'inner outer main False']"
    [ "$(in_order)" = "$right" ] || fail "with frame pointers: $(in_order)"
    [ "$(get "profiles[0]['loss']")" = "{}" ] || fail "lost: $(get "profiles[0]['loss']")"
  else
    cut="[([f['function'] for f in s['frames']], s['truncated'], value(s, 'allocations')) for s in profiles[0]['sites'] if s['frames'][0]['function'] == 'inner']"
    [ "$(get "$cut")" = "[(['inner'], True, 4)]" ] || fail "without: $(get "$cut")"
  fi
  [ "$(get "value(profiles[0]['totals'], 'allocated_bytes') >= 24000")" = True ] || fail "not all is counted"
done
finish
