#!/usr/bin/env bash
# Temporary blocks: each of churn is freed by its thread before its next allocation, none of the leaks is.
. "$(dirname "$0")/lib.sh"
profile exact "$programs/single_thread"
expect 0
truth --complete
[ "$(get 'sum(value(s, "temporary") for s in sites_with(profiles[0], "churn"))')" = 50000 ] || fail "churn is not all temporary"
[ "$(get 'sum(value(s, "temporary") for s in sites_with(profiles[0], "leak_a"))')" = 0 ] || fail "leak_a has temporary blocks"
finish
