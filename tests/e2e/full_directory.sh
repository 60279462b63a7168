#!/usr/bin/env bash
# A full tmpfs: the program runs to its end (no SIGBUS), its totals are exact or the loss is said, never neither.
. "$(dirname "$0")/lib.sh"
need_root
for size in 256k 1m 2m 3m 5m; do
  mkdir -p "$tmp/small"
  mount -t tmpfs -o size=$size,mode=0700 none "$tmp/small" 2>/dev/null || skip "no tmpfs can be mounted here"
  HEAPTALLY_DIR=$tmp/small "$heaptally" run --mode=exact -o "$tmp/capture.heaptally" -- "$programs/many_sites" 60000 >"$tmp/out" 2>"$tmp/err"
  status=$?
  expect 0
  grep -q '"truth"' "$tmp/out" || fail "$size: the program did not run to its end"
  if "$heaptally" report "$tmp/capture.heaptally" --json --full >"$tmp/report.json" 2>>"$tmp/err" && [ "$(get 'len(profiles)')" = 1 ]; then
    [ "$(get 'any(profiles[0]["loss"].values())')" = True ] || fail "$size: nothing lost in a directory of $size?"
    truth --mode exact --complete --largest 64 --allow-loss site-table-full --allow-loss segment-full --allow-loss histogram-full --allow-loss stack-cut-depth
  else
    [ $size = 256k ] || fail "$size: no profile, though the first part of a segment has room"
    said "no space left|directory that has room"
  fi
  rm -f "$tmp/capture.heaptally"
  umount "$tmp/small"
done
finish
