#!/usr/bin/env bash
# More distinct stacks than the segment may hold (cap=8 MiB): sites fold into their callers, said; totals stay exact.
# And without a cap, 250,000 stacks all have their place.
. "$(dirname "$0")/lib.sh"
report_options="--limit 5"
check_totals() {
  local total
  total=$(get '[value(profiles[0]["totals"], n) for n in ("allocations", "allocated_bytes", "frees", "freed_bytes")]')
  [ "$total" = "[250000, 7874616, 125000, 3874808]" ] || fail "$1: totals are $total"
}
preload mode=exact,cap=8388608 "$programs/many_sites" 250000
expect 0
report "$HEAPTALLY_DIR"/*
[ "$(get 'any(profiles[0]["loss"].values())')" = True ] || fail "250,000 sites in 8 MiB, and no loss said"
check_totals "8 MiB"
rm -f "$HEAPTALLY_DIR"/*
preload mode=exact "$programs/many_sites" 250000
expect 0
report "$HEAPTALLY_DIR"/*
check_totals "no cap"
[ "$(get 'profiles[0]["sites_total"]')" = 250000 ] || fail "sites: $(get 'profiles[0]["sites_total"]'), not 250000"
[ "$(get 'any(profiles[0]["loss"].values())')" = False ] || fail "lost without a cap: $(get 'profiles[0]["loss"]')"
finish
