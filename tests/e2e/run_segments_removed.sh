#!/usr/bin/env bash
# `run` removes what it has captured, keeps what it could not write, and says when the directory fills up.
. "$(dirname "$0")/lib.sh"
timeout 60 "$heaptally" run -o "$tmp/c.heaptally" -- sh -c 'true; /bin/echo hello' >"$tmp/out" 2>"$tmp/err"
[ -z "$(ls "$HEAPTALLY_DIR")" ] || fail "left behind: $(ls "$HEAPTALLY_DIR")"
mkdir "$tmp/gone"
timeout 60 "$heaptally" run -o "$tmp/gone/c.heaptally" -- rmdir "$tmp/gone" >"$tmp/out" 2>"$tmp/err"; status=$?
expect 0
said "could not be written"
[ "$(ls "$HEAPTALLY_DIR" | wc -l)" = 1 ] || fail "the tally of a run without a capture is gone"
segment=$(ls "$HEAPTALLY_DIR"/*.seg)
said "heaptally report .*$(basename "$segment")"
"$heaptally" report "$segment" >"$tmp/text" 2>&1 || fail "report SEGMENT: $(cat "$tmp/text")"
timeout 60 "$heaptally" run --cap 64K -o "$tmp/c.heaptally" -- true >"$tmp/out" 2>"$tmp/err"
said "more than 64.0 KiB"; said "ls --prune"
"$heaptally" ls --prune >"$tmp/text"
grep -q "1 tally of a dead process removed" "$tmp/text" || fail "prune: $(cat "$tmp/text")"
[ -z "$(ls "$HEAPTALLY_DIR")" ] || fail "prune left: $(ls "$HEAPTALLY_DIR")"
finish
