#!/usr/bin/env bash
# Pausing exact mode: what is allocated meanwhile is in no number and is said; what was recorded is released all the same; what
# was not recorded is no live block when it is freed.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/commanded.sh"
begin exact
tell keep 1000 100
change 125 "$pid" --period 1M
said "mode exact.*no meaning"
change 0 "$pid" --pause
said "commanded .pid $pid.: paused"
tell keep 500 200              # in no number
tell grow 600 300              # 500 of these, and 100 recorded ones: they leave the books
"$heaptally" report "$pid" >"$tmp/err" 2>&1
said "paused for [0-9.]+ s in all .heaptally set., and is paused"
report "$pid"
[ "$(get "[value(p['totals'], 'live_objects') for p in profiles]")" = "[900]" ] || fail "while paused: $(get "[p['totals'] for p in profiles]")"
tell drop
change 0 "$pid" --resume
tell churn 5000 1000           # looks again within the first MiB
tell keep 10 5000
end
adds_up
live=$(get "[(value(p['totals'], 'live_objects'), value(p['totals'], 'live_bytes'), p['unknown_frees']) for p in profiles]")
seen=$(get "[value(p['totals'], 'allocations') for p in profiles]")
# Not known when they are freed: the 600 that were kept or grown while paused, and those of the first MiB after it.
[ "$(get "[(value(p['totals'], 'live_objects'), value(p['totals'], 'live_bytes')) for p in profiles]")" = "[(10, 50000)]" ] || fail "live: $live"
# Every byte, and one for each call, is either recorded or said to be not.
all=$((1000 * 100 + 500 * 200 + 600 * 300 + 5000 * 1000 + 10 * 5000 + 7110))
[ "$(get "[value(p['totals'], 'allocated_bytes') + value(p['totals'], 'allocations') + p['loss']['paused-bytes'] for p in profiles]")" = "[$all]" ] ||
  fail "recorded and unseen are not $all together: $(get "[(p['totals']['allocated_bytes'], p['totals']['allocations'], p['loss']) for p in profiles]")"
[ "$(get "all(value(p['totals'], 'allocations') + p['unknown_frees'] == 1000 + 5000 + 10 + 600 for p in profiles)")" = True ] || fail "frees: $live of $seen"
[ "$(get "any('paused for' in n and 'now' not in n for n in profiles[0]['notes'])")" = True ] || fail "no note: $(get "profiles[0]['notes']")"
finish
