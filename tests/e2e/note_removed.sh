#!/usr/bin/env bash
# objcopy has taken the build id out of a program at fixed addresses: a header of it stays behind, at address 0. The program
# runs as it does without us, and all of it is recorded.
. "$(dirname "$0")/lib.sh"
need gcc objcopy readelf
cat >"$tmp/main.c" <<'C'
#include <stdlib.h>
void *volatile kept;
__attribute__((noinline)) static void holds(void) { kept = malloc(5000); }
int main(void) { holds(); return 3; }
C
for pie in -no-pie -pie; do
  gcc -g -O1 -w $pie -Wl,--build-id=sha1 -o "$tmp/whole" "$tmp/main.c" || fail "gcc"
  objcopy --remove-section .note.gnu.build-id "$tmp/whole" "$tmp/prog" || fail "objcopy"
  readelf -lW "$tmp/prog" | grep -q '^  NOTE .* 0x0000000000000000 0x0000000000000000 ' || echo "(objcopy left no header at address 0)"
  for mode in exact bytes; do
    profile $mode "$tmp/prog"
    expect 3
  done
  profile exact "$tmp/prog"
  site holds main.c 3 1 5000
  # Stripped, it still has the names that it exports, though objcopy has renumbered the sections that they name.
  gcc -O1 -w $pie -rdynamic -Wl,--build-id=sha1 -o "$tmp/whole" -xc - <<<"$(sed 's/static void holds/void holds/' "$tmp/main.c")" || fail "gcc"
  objcopy --strip-all --remove-section .note.gnu.build-id "$tmp/whole" "$tmp/prog" || fail "objcopy"
  profile exact "$tmp/prog"
  [ "$(get 'sum(value(s, "live_bytes") for s in sites_with(profiles[0], "holds"))')" = 5000 ] || fail "$pie: exported names are not there"
done
finish
