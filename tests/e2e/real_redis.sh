#!/usr/bin/env bash
# redis-server under redis-benchmark, in both modes: all requests are served, and its heap is seen (its jemalloc is a
# library that the agent stands before).
. "$(dirname "$0")/lib.sh"
need redis-server redis-benchmark redis-cli
for mode in exact bytes; do
  socket=$tmp/redis.sock
  "$heaptally" run --mode=$mode -o "$tmp/redis-$mode.heaptally" -- redis-server --port 0 --unixsocket "$socket" --save "" --dir "$tmp" \
    >"$tmp/out" 2>"$tmp/err" &
  server=$!
  for _ in $(seq 100); do redis-cli -s "$socket" ping >/dev/null 2>&1 && break; sleep 0.1; done
  redis-benchmark -s "$socket" -n 20000 -r 10000 -d 200 -q -t set,lpush >"$tmp/benchmark" 2>&1 || fail "$mode: redis-benchmark: $(tail -3 "$tmp/benchmark")"
  redis-cli -s "$socket" shutdown nosave >/dev/null 2>&1
  wait $server
  status=$?
  expect 0
  report "$tmp/redis-$mode.heaptally"
  [ "$(get 'sum(value(p["totals"], "allocated_bytes") for p in profiles) > 4000000')" = True ] || fail "$mode: too little was seen"
done
finish
