#!/usr/bin/env bash
# The period of a running process is changed; samples of both periods count right. Pausing a sampled process: the same sum.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/commanded.sh"
each=$((4096 * 150000))
inside() {  # NAME TRUTH: the truth lies within three times the interval
  [ "$(get "[(lambda e: e['v'] - 3 * (e['v'] - e['lo']) <= $2 <= e['v'] + 3 * (e['hi'] - e['v']))(p['totals']['$1']) for p in profiles]")" = "[True]" ] ||
    fail "$1 is $(get "[p['totals']['$1'] for p in profiles]"), the truth is $2"
}
begin bytes
tell churn 150000 4096
change 125 "$pid" --period 4K
said "below 64 KiB"
change 0 "$pid" --period 64K
said "period 64.0 KiB .was 512 KiB."
tell churn 150000 4096
report "$pid"
[ "$(get "[(p['period_bytes'], p['totals']['allocated_bytes']['n'] > 6000) for p in profiles]")" = "[(65536, True)]" ] ||
  fail "period and samples: $(get "[(p['period_bytes'], p['totals']['allocated_bytes']) for p in profiles]")"
inside allocated_bytes $((2 * each))
change 0 commanded --pause
before=$(get "profiles[0]['totals']['allocated_bytes']['n']")
tell churn 150000 4096
report "$pid"
[ "$(get "profiles[0]['totals']['allocated_bytes']['n'] - $before <= 1")" = True ] || fail "samples came while paused"
unseen=$(get "profiles[0]['loss']['paused-bytes']")
[ "$unseen" -gt $((each * 98 / 100)) ] && [ "$unseen" -lt $((each * 102 / 100)) ] || fail "unseen: $unseen, the truth is $each"
change 0 "$pid" --resume
tell churn 150000 4096
end
inside allocated_bytes $((3 * each))
# The draw that runs when the period is changed counts by its own: three times, a draw of 1 GiB in the mean that ends long after.
for round in 1 2 3; do
  run_options="--period 1G"
  begin bytes
  tell churn 1 100   # begins the draw
  change 0 "$pid" --period 64K
  tell churn 2000000 4096
  end
  inside allocated_bytes $((2000000 * 4096 + 100))
done
# In calls.
run_options="--period 1000"
begin count
tell churn 200000 100
change 0 "$pid" --period 50
said "period 50 calls .was 1000 calls."
tell churn 200000 100
change 0 "$pid" --pause
tell fork 200000 100           # the child begins paused
end
[ "$(get "[(p['period_calls'], p['totals']['allocations']['n'] > 3000) for p in profiles if p['origin'] == 'start']")" = "[(50, True)]" ] ||
  fail "count: $(get "[(p['period_calls'], p['totals']['allocations']) for p in profiles]")"
[ "$(get "sum(p['totals']['allocations']['n'] for p in profiles if p['origin'] == 'fork')")" = 0 ] || fail "a paused program's child recorded"
finish
