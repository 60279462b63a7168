#!/usr/bin/env bash
# An executable with holes between its segments, at a fixed address and not: its stacks are whole, its frames have names and
# lines, and its build id is known.
. "$(dirname "$0")/lib.sh"
need gcc
cat >"$tmp/main.c" <<'C'
#include <stdlib.h>
void *volatile kept;
__attribute__((noinline)) static void inner(void) { kept = malloc(6000); }  // line: inner
__attribute__((noinline)) static void outer(void) { inner(); kept = 0; }    // line: outer
int main(void) { outer(); return 0; }
C
tried=0
for flags in "-no-pie -fno-pie" "-pie -fpie"; do
  gcc -g -O1 -w -fno-builtin $flags -Wl,-z,separate-code,-z,max-page-size=0x200000,--build-id=sha1 -o "$tmp/prog" "$tmp/main.c" || fail "gcc $flags"
  profile exact "$tmp/prog"
  expect 0
  site inner main.c "$(grep -n '// line: inner' "$tmp/main.c" | cut -d: -f1)" 1 6000
  frames=$(get "[[f['function'] for f in s['frames']][:3] + [s['truncated']] for s in profiles[0]['sites'] if value(s, 'allocated_bytes') == 6000]")
  [ "$frames" = "[['inner', 'outer', 'main', False]]" ] || fail "$flags: $frames"
  [ "$(get "profiles[0]['loss']")" = "{}" ] || fail "$flags: $(get "profiles[0]['loss']")"
  id=$(readelf -nW "$tmp/prog" | sed -n 's/.*Build ID: //p')
  [ -n "$id" ] && grep -q "$id" "$tmp/report.json" || fail "$flags: the build id is not known"
done
finish
