#!/usr/bin/env bash
# A daemon that outlives the program, with its pipes: `run` does not wait for it, names it, and leaves it profiled; `report`
# looks at it alive, `ls` shows it, and prune takes only what is dead.
. "$(dirname "$0")/lib.sh"
# The daemon holds the write end of the pipe behind stdout.
timeout 30 "$heaptally" run -o "$tmp/c.heaptally" -- sh -c 'sleep 60 & echo $! >"$0"; sleep 1; exit 3' "$tmp/pid" 2>"$tmp/err" | cat >/dev/null &
pipe=$!
for _ in $(seq 200); do grep -q "next:" "$tmp/err" && break; sleep 0.1; done
daemon=$(cat "$tmp/pid")
kill -0 "$daemon" || fail "the daemon did not outlive the run"
said "exit status 3"
said "still running, and profiled: sleep \(pid $daemon\)"
"$heaptally" ls >"$tmp/ls" 2>&1
grep -Eq "^ *$daemon +sleep 60 +running" "$tmp/ls" || fail "ls: $(cat "$tmp/ls")"
"$heaptally" report "$daemon" >"$tmp/text" 2>&1 || fail "report on the living daemon: $(cat "$tmp/text")"
grep -q "live now" "$tmp/text" || fail "report: $(cat "$tmp/text")"
"$heaptally" ls --prune >/dev/null 2>&1
"$heaptally" ls 2>&1 | grep -Eq "^ *$daemon " || fail "prune took a living process's tally"
kill "$daemon"
wait $pipe
for _ in $(seq 50); do kill -0 "$daemon" 2>/dev/null || break; sleep 0.1; done
"$heaptally" ls --prune | grep -q "1 tally" || fail "prune: $("$heaptally" ls 2>&1)"
finish
