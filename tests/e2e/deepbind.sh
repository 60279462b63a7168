#!/usr/bin/env bash
# A RTLD_DEEPBIND plugin exchanges blocks with the program: it works, and the numbers are right or the case is said.
. "$(dirname "$0")/lib.sh"
both "$programs/deepbind" "$programs/libexchange.so" plain
profile exact "$programs/deepbind" "$programs/libexchange.so" deep
expect 0
live=$(get 'value(profiles[0]["totals"], "live_objects")')
[ "$live" -lt 100 ] || grep -Eqi "deepbind|libexchange" "$tmp/err" "$tmp/report.json" || fail "$live live objects, none is; and nothing is said"
[ "$(get 'sum(value(s, "allocations") for s in sites_with(profiles[0], "program_block"))')" = 1000 ] || fail "program_block is not 1000"
finish
