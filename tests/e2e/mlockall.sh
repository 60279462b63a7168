#!/usr/bin/env bash
# mlockall makes reservations real: the RSS may not grow by more than 6 MiB over the run without us.
. "$(dirname "$0")/lib.sh"
"$programs/mlock_all" >/dev/null 2>"$tmp/err"
status=$?
maybe_skip
alone=$(sed -n 's/^rss //p' "$tmp/err")
for mode in exact bytes; do
  preload mode=$mode "$programs/mlock_all"
  expect 0
  with=$(sed -n 's/^rss //p' "$tmp/err")
  [ $((with - alone)) -lt 6144 ] || fail "$mode: RSS under mlockall is $with KiB, $alone KiB without"
done
both "$programs/mlock_all"
finish
