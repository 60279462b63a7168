#!/usr/bin/env bash
# The user's own LD_PRELOAD list stays in force behind the agent.
. "$(dirname "$0")/lib.sh"
need cc
printf 'int getuid(void) { return 4242; }\n' >"$tmp/mine.c"
cc -shared -fPIC -o "$tmp/mine.so" "$tmp/mine.c" || skip "cc cannot build a library"
LD_PRELOAD="$tmp/mine.so" timeout 60 "$heaptally" run -o "$tmp/c.heaptally" -- sh -c 'id -ru; echo "$LD_PRELOAD"' >"$tmp/out" 2>"$tmp/err"
[ "$(head -1 "$tmp/out")" = 4242 ] || fail "the user's library is not in force: $(cat "$tmp/out")"
grep -q "libheaptally.so:$tmp/mine.so$" "$tmp/out" || fail "the list: $(cat "$tmp/out")"
finish
