#!/usr/bin/env bash
# More distinct stacks than the segment may hold (cap=8 MiB): sites fold into their callers, said; totals stay exact.
# And without a cap, 250,000 stacks all have their place.
. "$(dirname "$0")/lib.sh"
preload mode=exact,cap=8388608 "$programs/many_sites" 250000
expect 0
report "$HEAPTALLY_DIR"/*
[ "$(get 'any(profiles[0]["loss"].values())')" = True ] || fail "250,000 sites in 8 MiB, and no loss said"
total=$(get '[value(profiles[0]["totals"], n) for n in ("allocations", "allocated_bytes", "frees", "freed_bytes")]')
[ "$total" = "[250000, 7874616, 125000, 3874808]" ] || fail "totals are $total"
rm -f "$HEAPTALLY_DIR"/*
preload mode=exact "$programs/many_sites" 250000
expect 0
report "$HEAPTALLY_DIR"/*
truth --mode exact --complete
[ "$(get 'len(sites_with(profiles[0], "site_leaf"))')" = 250000 ] || fail "not 250,000 sites: $(get 'len(profiles[0]["sites"])')"
finish
