#!/usr/bin/env bash
# pprof, folded, speedscope and DHAT files of python, g++ with its children, and redis, exact and sampled: valid, and equal to
# the report and to each other, stack by stack and in sum.
. "$(dirname "$0")/lib.sh"
. "$here/lib_exports.sh"
capture_programs
for capture in "$tmp"/*.heaptally; do
  export_all "$capture"
  compare_exports "$(basename "$capture")"
done
[ "$(ls "$tmp"/*.heaptally | wc -l)" -ge 2 ] || fail "nothing was captured"
finish
