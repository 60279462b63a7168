#!/usr/bin/env bash
# Another malloc interposer in the user's own LD_PRELOAD: kept, and its count agrees with ours; before ours it must not
# break anything, and is said.
. "$(dirname "$0")/lib.sh"
then_preload=$programs/libforward.so preload mode=exact "$programs/single_thread"
expect 0
report "$HEAPTALLY_DIR"/*
truth --mode exact --complete
read -r _ forwarded_allocations forwarded_frees < <(grep '^forwarded' "$tmp/err")
[ "$forwarded_allocations" = "$(get 'value(profiles[0]["totals"], "allocations")')" ] || fail "$forwarded_allocations calls came through us"
[ "$forwarded_frees" = "$(get 'value(profiles[0]["totals"], "frees")')" ] || fail "$forwarded_frees frees came through us"
export LD_PRELOAD=$programs/libforward.so   # as a user has it; run must keep it
profile exact env "$programs/threads_cross_free"
expect 0
grep -q '^forwarded' "$tmp/err" || fail "the user's LD_PRELOAD was dropped"
truth --mode exact
finish
