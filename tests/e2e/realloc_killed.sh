#!/usr/bin/env bash
# Killed in the middle of reallocs of 1 GiB, 30 times in bytes mode: the one large block is there exactly once, never
# absent, never twice.
. "$(dirname "$0")/lib.sh"
RANDOM=77; killed_is_right=1
for round in $(seq 30); do
  rm -f "$HEAPTALLY_DIR"/*
  env HEAPTALLY="mode=bytes,seed=$round,dir=$HEAPTALLY_DIR" LD_PRELOAD="$agent" "$programs/realloc_forever" >"$tmp/out" 2>&1 &
  pid=$!
  for _ in $(seq 600); do [ -s "$tmp/out" ] && break; sleep 0.05; done
  sleep "0.$(printf %03d $((RANDOM % 300)))"
  kill -9 $pid
  wait $pid 2>/dev/null
  report "$HEAPTALLY_DIR"/*
  live=$(get 'sum(value(s, "live_bytes") for s in sites_with(profiles[0], "resize_gigabyte"))')
  [ "$live" -ge $((1 << 30)) ] && [ "$live" -le $(((1 << 30) + (16 << 20))) ] || { fail "round $round: $live bytes live, not one block of 1 GiB"; break; }
done
finish
