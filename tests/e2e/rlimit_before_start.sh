#!/usr/bin/env bash
# Limits that are low from the start: RLIMIT_FSIZE 64 KiB (no SIGXFSZ from us), RLIMIT_AS 512 MiB, 64 descriptors.
. "$(dirname "$0")/lib.sh"
for limits in "-f 64" "-v 524288" "-n 64" "-l 64" "-d 262144"; do
  "$heaptally" run --mode=exact -o "$tmp/capture.heaptally" -- bash -c "ulimit $limits; exec '$programs/hello_leak'" >"$tmp/out" 2>"$tmp/err"
  status=$?
  expect 0
  grep -q '"truth"' "$tmp/out" || fail "ulimit $limits: the program did not run to its end"
  case $limits in
    "-f 64") ;;   # no segment can be made: said below
    *) report "$tmp/capture.heaptally"; truth ;;
  esac
  rm -f "$tmp/capture.heaptally"
done
finish
