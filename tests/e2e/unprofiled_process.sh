#!/usr/bin/env bash
# Every command that takes a process says of one that runs without the agent that it does, and what works; nothing is left behind.
. "$(dirname "$0")/lib.sh"
need sleep
cd "$tmp" || exit 1
sleep 60 &
pid=$!
ls >before
for words in "report" "report --json" "flame" "export" "snapshot" "set --pause" "diff"; do
  timeout 20 "$heaptally" $words "$pid" $([ "$words" = diff ] && echo "$pid") >"$tmp/out" 2>"$tmp/err"
  status=$?
  expect 125
  [ ! -s "$tmp/out" ] || fail "$words: $(head -c 200 "$tmp/out")"
  said "process $pid .*is not being profiled: it runs without the agent"
  said "what works: start it with heaptally run"
done
kill $pid
[ "$(ls | grep -vxFf before | tr '\n' ' ')" = "before err out " ] || [ "$(ls | grep -vxFf before | tr '\n' ' ')" = "err out " ] || fail "left behind: $(ls)"
finish
