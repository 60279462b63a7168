#!/usr/bin/env bash
# The exact peak of one thread: its bytes and objects, and what each site held at that moment (reckoned by hand: all that
# single_thread leaks, and its table of 8 MiB; while it moves, the old 4 MiB are gone before the new 8 are booked).
. "$(dirname "$0")/lib.sh"
profile exact "$programs/single_thread"
expect 0
truth --complete
[ "$(get 'value(profiles[0]["totals"], "peak_live_bytes")')" = $((500500 + 1083600 + 8 * 1024 * 1024)) ] ||
  fail "peak is $(get 'profiles[0]["totals"]["peak_live_bytes"]'), not $((500500 + 1083600 + 8 * 1024 * 1024))"
[ "$(get 'value(profiles[0]["totals"], "peak_live_objects")')" = 1301 ] || fail "objects at the peak are not 1301"
[ "$(get 'sum(value(s, "peak_live_bytes") for s in sites_with(profiles[0], "grow_table"))')" = $((8 * 1024 * 1024)) ] ||
  fail "grow_table at the peak is not 8 MiB"
[ "$(get 'sum(value(s, "peak_live_bytes") for s in sites_with(profiles[0], "churn"))')" = 0 ] || fail "churn is in the peak"
finish
