#!/usr/bin/env bash
# Spaces everywhere: in the agent's path (LD_PRELOAD cannot quote them), the program's, the capture's, and the directory's.
. "$(dirname "$0")/lib.sh"
mkdir -p "$tmp/a b/lib"; mkdir -m 700 "$tmp/se gments"
cp "$agent" "$tmp/a b/lib/libheaptally.so"
cp "$programs/hello_leak" "$tmp/a b/hello leak"
HEAPTALLY_AGENT="$tmp/a b/lib/libheaptally.so" timeout 60 "$heaptally" run --mode exact -o "$tmp/a b/c d.heaptally" -- "$tmp/a b/hello leak" >"$tmp/out" 2>"$tmp/err"
status=$?
expect 0
grep -q "ld.so" "$tmp/err" && fail "the loader complains: $(grep ld.so "$tmp/err")"
report "$tmp/a b/c d.heaptally"
truth --mode exact
HEAPTALLY_DIR="$tmp/se gments" timeout 60 "$heaptally" run --mode exact -o "$tmp/c.heaptally" -- "$programs/hello_leak" >"$tmp/out" 2>"$tmp/err"
report "$tmp/c.heaptally"
truth --mode exact
[ -z "$(ls "$tmp/se gments")" ] || fail "left behind: $(ls "$tmp/se gments")"
finish
