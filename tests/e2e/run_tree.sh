#!/usr/bin/env bash
# A run of sixty programs is one screen: sums by program, the largest processes, how to see more.
. "$(dirname "$0")/lib.sh"
timeout 100 "$heaptally" run --mode exact -o "$tmp/c.heaptally" -- bash -c 'for i in $(seq 30); do /bin/echo $i; env true; done' >"$tmp/out" 2>"$tmp/err"
status=$?
expect 0
[ "$(wc -l <"$tmp/out")" = 30 ] || fail "output"
said "by program"; said "largest processes"; said "next: heaptally report"
lines=$(wc -l <"$tmp/err")
[ "$lines" -le 60 ] || fail "$lines lines"
awk 'length($0) > 84 && !/…/' "$tmp/err" | head -3 | grep . && fail "lines are too long"
finish
