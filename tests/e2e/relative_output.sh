#!/usr/bin/env bash
# A relative output path and a relative --dir mean what they meant at the start, wherever the program goes.
. "$(dirname "$0")/lib.sh"
mkdir "$tmp/start" "$tmp/elsewhere"; mkdir -m 700 "$tmp/start/tallies"
cd "$tmp/start" || fail cd
"$heaptally" run --mode exact --dir tallies -o out.heaptally -- sh -c 'cd ../elsewhere && exec "$0"' "$programs/hello_leak" >"$tmp/out" 2>"$tmp/err"; status=$?
expect 0
[ -s out.heaptally ] || fail "no capture where it was asked for"
[ -z "$(ls "$tmp/elsewhere")" ] || fail "left where the program went: $(ls "$tmp/elsewhere")"
report out.heaptally
truth --mode exact
finish
