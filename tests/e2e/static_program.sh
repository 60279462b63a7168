#!/usr/bin/env bash
# A static program: runs unchanged, and it is said within a second that nothing could be recorded, and what works.
. "$(dirname "$0")/lib.sh"
limit=10
"$heaptally" run -o "$tmp/capture.heaptally" -- "$programs/hello_static" >"$tmp/out" 2>"$tmp/err"
status=$?
expect 0
grep -q '"function": "hello_leak", "allocations": 2000' "$tmp/out" || fail "the program did not run to its end"
said "static"
said "nothing (was|is) recorded|cannot be (seen|recorded)|never reaches"
said "what works: "
[ ! -e "$tmp/capture.heaptally" ] || fail "a capture of nothing was left, which looks like a program that allocates nothing"
finish
