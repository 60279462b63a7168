#!/usr/bin/env bash
# Children without the agent are named as not seen, in the summary and in the capture: "nothing lost" is not said then.
. "$(dirname "$0")/lib.sh"
"$heaptally" run -o "$tmp/c.heaptally" -- sh -c "$programs/exec_ways raw /bin/sleep 2; true" >"$tmp/out" 2>"$tmp/err"; status=$?
expect 0
tr '\n' ' ' <"$tmp/err" | tr -s ' ' >"$tmp/flat"
grep -Eq "not seen: .*sleep \(pid [0-9]+\), without the agent" "$tmp/flat" || fail "not named: $(cat "$tmp/err")"
grep -q "nothing lost" "$tmp/err" && fail "nothing lost, and a program was not seen: $(cat "$tmp/err")"
"$heaptally" report "$tmp/c.heaptally" >"$tmp/text" 2>&1
grep -q "Not recorded: sleep" "$tmp/text" || fail "the capture does not say it: $(cat "$tmp/text")"
grep -q "nothing lost" "$tmp/text" && fail "report: nothing lost"
finish
