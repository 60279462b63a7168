#!/usr/bin/env bash
# A stripped program: the report says how much of the memory has no names, in which file, why, and what would name it.
. "$(dirname "$0")/lib.sh"
need gcc
cat >"$tmp/main.c" <<'C'
#include <stdlib.h>
void *volatile kept;
__attribute__((noinline)) static void secret(void) { kept = malloc(60000); }
int main(void) { secret(); return 0; }
C
gcc -O1 -w -s -Wl,--build-id=0x1234567890 -o "$tmp/prog" "$tmp/main.c" || fail "gcc"
profile exact "$tmp/prog"
expect 0
note=$(get '"\n".join(n for p in profiles for n in p["notes"])')
grep -q "100 % of the live bytes were allocated by code without names in $tmp/prog: .*stripped.* What works: .*/usr/lib/debug/.build-id/12/34567890.debug" <<<"$note" || fail "notes: $note"
[ "$(get 'bool(sites_with(profiles[0], "secret"))')" = False ] || fail "a name out of nothing"
# With its names, nothing is noted.
gcc -O1 -w -o "$tmp/prog" "$tmp/main.c" || fail "gcc"
profile exact "$tmp/prog"
note=$(get '"\n".join(n for p in profiles for n in p["notes"])')
grep -q "without names" <<<"$note" && fail "noted without need: $note"
finish
