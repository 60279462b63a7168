#!/usr/bin/env bash
# A program that is exec'd with a cleared environment: while it still runs, it is said that nothing of it is recorded.
. "$(dirname "$0")/lib.sh"
"$heaptally" run -o "$tmp/c.heaptally" -- "$programs/exec_ways" raw /bin/sleep 6 2>"$tmp/err" &
job=$!
for _ in $(seq 50); do grep -q "without the agent" "$tmp/err" && break; sleep 0.1; done
kill -0 $job 2>/dev/null || fail "too late: the program has ended"
said "runs without the agent"
said "cleared or changed environment"
wait $job
[ $? = 0 ] || fail "status"
[ "$(grep -c "without the agent" "$tmp/err")" = 1 ] || fail "said more than once"
said "was not recorded"
finish
