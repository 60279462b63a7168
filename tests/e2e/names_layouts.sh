#!/usr/bin/env bash
# Programs and libraries by other linkers, whose first address is not 0 and whose code lies at other addresses than file offsets.
. "$(dirname "$0")/lib.sh"
need gcc
cat >"$tmp/lib.c" <<'C'
#include <stdlib.h>
void *volatile kept;
void of_library(void) { kept = malloc(5000); }  // line: library
C
cat >"$tmp/main.c" <<'C'
#include <stdlib.h>
void *volatile mine;
extern void of_library(void);
__attribute__((noinline)) static void of_program(void) { mine = malloc(7000); }  // line: program
int main(void) { of_program(); of_library(); return 0; }
C
line() { grep -n "// line: $1\$" "$tmp/$2" | cut -d: -f1; }
try() {
  gcc -g -O1 -shared -fPIC "$@" -o "$tmp/lib.so" "$tmp/lib.c" 2>"$tmp/err" && gcc -g -O1 "$@" ${program_only:-} -o "$tmp/prog" "$tmp/main.c" "$tmp/lib.so" 2>>"$tmp/err" ||
    { fail "gcc $*: $(head -c 300 "$tmp/err")"; return; }
  profile exact "$tmp/prog"
  expect 0
  site of_program main.c "$(line program main.c)" 1 7000
  site of_library lib.c "$(line library lib.c)" 1 5000
  [ "$failed" = 0 ] || echo "  with $*"
}
try -Wl,-Ttext-segment=0x7000000
missing=
if command -v ld.lld >/dev/null; then
  try -fuse-ld=lld
  try -fuse-ld=lld -Wl,--image-base=0x200000
  program_only="-fno-pie -no-pie" try -fuse-ld=lld
else missing="$missing ld.lld"; fi
if command -v mold >/dev/null; then try -fuse-ld=mold; else missing="$missing mold"; fi
[ -z "$missing" ] || skip "not installed:$missing (the others passed)"
finish
