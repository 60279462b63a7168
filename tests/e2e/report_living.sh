#!/usr/bin/env bash
# A living process is read from outside by pid: it is neither stopped nor changed, and by every measure.
. "$(dirname "$0")/lib.sh"
LD_PRELOAD="$agent" HEAPTALLY="mode=exact,dir=$HEAPTALLY_DIR" /usr/bin/env python3 -c 'import time; x = [bytes(100000) for _ in range(100)]; print("up", flush=True); time.sleep(60)' \
  >"$tmp/up" &
pid=$!
for _ in $(seq 200); do grep -q up "$tmp/up" && break; sleep 0.05; done
before=$(cut -d' ' -f3 /proc/$pid/stat)
for by in live peak churn calls temporary; do
  "$heaptally" report $pid --by $by >"$tmp/text" 2>&1 || fail "--by $by: $(cat "$tmp/text")"
done
"$heaptally" report $pid >"$tmp/text" 2>&1
grep -q "running" "$tmp/text" || fail "not said to be running: $(cat "$tmp/text")"
"$heaptally" report $pid --json >"$tmp/report.json" || fail "--json"
[ "$(get 'value(profiles[0]["totals"], "live_bytes") >= 10000000')" = True ] || fail "live: $(get 'profiles[0]["totals"]["live_bytes"]')"
[ "$(cut -d' ' -f3 /proc/$pid/stat)" = "$before" ] || fail "the process's state changed"
"$heaptally" report $pid --by livve 2>"$tmp/err" && fail "a mistyped measure is accepted"; said -- "--by live"
"$heaptally" report 999999 2>"$tmp/err" && fail "a process that is not there"; said "no process 999999"
"$heaptally" report $$ 2>"$tmp/err" && fail "a process without the agent"; said "not being profiled"
kill $pid
finish
