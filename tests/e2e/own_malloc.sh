#!/usr/bin/env bash
# A program with a malloc of its own in the executable: runs unchanged, and the report says that its heap is not seen.
. "$(dirname "$0")/lib.sh"
timeout 20 "$heaptally" run -o "$tmp/capture.heaptally" -- "$programs/own_malloc" >"$tmp/out" 2>"$tmp/err"
status=$?
expect 0
grep -q "own malloc done" "$tmp/out" || fail "the program did not run to its end"
said "own malloc|its own|brings|defines malloc|malloc of its own"
finish
