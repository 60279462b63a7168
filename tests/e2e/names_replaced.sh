#!/usr/bin/env bash
# The program's file is replaced while it runs, as by a rebuild: the names are those of the file that runs. Where it could
# not be looked at in time, there are no names rather than the new file's, with the reason; with and without build ids.
. "$(dirname "$0")/lib.sh"
need gcc
cat >"$tmp/old.c" <<'C'
#include <stdlib.h>
#include <unistd.h>
void *volatile kept;
__attribute__((noinline)) static void of_the_old(void) { kept = malloc(6000); }  // line: old
int main(int argc, char **argv) { of_the_old(); usleep(700000); return argc > 1 && rename(argv[1], argv[0]); }
C
sed 's/of_the_old/of_the_new/; s/kept = malloc(6000);/for (int i = 0; i < 9; ++i) kept = malloc(60);/' "$tmp/old.c" >"$tmp/new.c"
for id in sha1 none; do
  build() { gcc -g -O1 -w -Wl,--build-id=$id -o "$tmp/$1" "$tmp/$2.c" || fail "gcc"; }
  build prog old && build next new
  profile exact "$tmp/prog" "$tmp/next"
  expect 0
  [ ! -e "$tmp/next" ] || fail "the program was not replaced: nothing was tested"
  site of_the_old old.c "$(grep -n '// line: old$' "$tmp/old.c" | cut -d: -f1)" 1 6000
  # Without `run`, nobody looks while it lives.
  rm -f "$HEAPTALLY_DIR"/*
  build prog old && build next new
  preload mode=exact "$tmp/prog" "$tmp/next"
  expect 0
  report "$HEAPTALLY_DIR"/*.seg
  [ "$(get 'any("of_the" in (f["function"] or "") for s in profiles[0]["sites"] for f in s["frames"])')" = False ] || fail "$id: names of the wrong file"
  why=$(get '" / ".join(sorted({f["why"] or "" for s in profiles[0]["sites"] for f in s["frames"] if (f["module"] or "").endswith("/prog")}))')
  grep -qE 'build id|replaced or changed' <<<"$why" || fail "$id: the reason is: $why"
done
finish
