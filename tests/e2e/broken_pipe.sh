#!/usr/bin/env bash
# Readers that go away, ours or the program's: the program dies of SIGPIPE as it would without us, or does not.
. "$(dirname "$0")/lib.sh"
"$heaptally" run --mode exact -o "$tmp/c.heaptally" -- sh -c 'yes; echo $? >"$0"' "$tmp/status" 2>"$tmp/err" | head -1 >/dev/null
[ "$(cat "$tmp/status")" = 141 ] || fail "yes ended with $(cat "$tmp/status"), expected SIGPIPE"
# The tool's own stderr is closed: the program runs to its end all the same, and the capture is there.
{ "$heaptally" run --mode exact -o "$tmp/d.heaptally" -- "$programs/hello_leak" 2>&3 >"$tmp/out"; status=$?; } 3> >(exec true)
report "$tmp/d.heaptally"
truth --mode exact
finish
