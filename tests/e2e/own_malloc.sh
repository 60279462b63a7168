#!/usr/bin/env bash
# A program with a malloc of its own in the executable: runs unchanged, and the report says that its heap is not seen.
. "$(dirname "$0")/lib.sh"
timeout 20 "$heaptally" run -o "$tmp/capture.heaptally" -- "$programs/own_malloc" >"$tmp/out" 2>"$tmp/err"
status=$?
expect 0
grep -q "own malloc done" "$tmp/out" || fail "the program did not run to its end"
said "own malloc|its own|brings|defines malloc|malloc of its own"
said "what works: "
[ ! -e "$tmp/capture.heaptally" ] || fail "a capture of nothing was left, which looks like a program that allocates nothing"
# As a child, which is looked at only when it has started, and not if it is too short: the report says of its image that it is not seen.
"$heaptally" run -o "$tmp/child.heaptally" -- sh -c "'$programs/own_malloc'; true" >"$tmp/out" 2>"$tmp/err" || fail "status $?"
tr '\n' ' ' <"$tmp/err" | tr -s ' ' >"$tmp/flat"
grep -Eq "not seen: own_malloc|Another object's malloc comes before heaptally's, so what goes through it is not seen" "$tmp/flat" || fail "not said: $(tail -c 500 "$tmp/flat")"
grep -q "nothing lost" "$tmp/err" && fail "said to be whole: $(cat "$tmp/err")"
"$heaptally" report "$tmp/child.heaptally" | tr '\n' ' ' | tr -s ' ' | grep -Eq "Not recorded: own_malloc|Another object's malloc comes before heaptally's" || fail "the capture does not say it"
finish
