#!/usr/bin/env bash
# kill -9 at 100 random moments (bytes mode): each time the profile is there, whole, adds up, and agrees with the counts
# that the program kept in a shared file, but for the calls in flight. Every second run resizes a table of up to 1 GiB.
. "$(dirname "$0")/lib.sh"
RANDOM=20241; killed_is_right=1
for round in $(seq 100); do
  rm -f "$HEAPTALLY_DIR"/* "$tmp/rows"
  huge=small; [ $((round % 2)) = 0 ] && huge=huge
  env HEAPTALLY="mode=bytes,seed=$round,period=65536,dir=$HEAPTALLY_DIR" LD_PRELOAD="$agent" "$programs/killed" "$tmp/rows" $huge >"$tmp/out" 2>&1 &
  pid=$!
  sleep "0.$(printf %03d $((RANDOM % 400 + 30)))"
  kill -9 $pid
  wait $pid 2>/dev/null
  [ -s "$tmp/out" ] || continue   # killed before its main
  report "$HEAPTALLY_DIR"/*
  rows "$tmp/rows" --mode bytes --state killed
  "$heaptally" ls 2>&1 | grep -q "$pid" || fail "round $round: ls does not show $pid"
  [ "$failed" = 0 ] || { echo "in round $round ($huge)"; break; }
done
finish
