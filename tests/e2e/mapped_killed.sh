# Killed in a storm of mappings: the tally is whole, adds up, and holds no more than what four threads can hold.
. "$(dirname "$0")/lib.sh"
for mode in exact bytes; do
  for round in 1 2 3; do
    rm -f "$tmp/pid"
    "$heaptally" run --mode $mode -o "$tmp/capture.heaptally" -- "$programs/mapping_storm" "$tmp/pid" >"$tmp/out" 2>"$tmp/err" &
    runner=$!
    for _ in $(seq 600); do [ -s "$tmp/pid" ] && break; sleep 0.05; done
    [ -s "$tmp/pid" ] || fail "$mode: the program did not get under way"
    kill -9 "$(cat "$tmp/pid")"
    wait $runner
    status=$?
    expect 137
    report "$tmp/capture.heaptally"
    python3 "$here/check.py" adds "$tmp/report.json" unused --mapped || failed=1
    # Each event is booked in two steps (what ends, what begins), so at most one of each thread is half there.
    objects=$(get 'value(profiles[0]["totals_mapped"], "live_objects")')
    bytes=$(get 'value(profiles[0]["totals_mapped"], "live_bytes")')
    [ "$objects" -le $((4 * 9)) ] || fail "$mode: $objects mappings live, four threads hold at most 32"
    [ "$bytes" -le $((4 * 9 * 33 * 4096)) ] || fail "$mode: $bytes bytes live"
    [ "$(get 'value(profiles[0]["totals_mapped"], "allocations") > 1000')" = True ] || fail "$mode: hardly anything was recorded"
    [ "$(get 'sum(profiles[0]["loss"].values())')" = 0 ] || fail "$mode: lost: $(get 'profiles[0]["loss"]')"
  done
done
finish
