#!/usr/bin/env bash
# Sites say by which threads they were reached: names as the kernel has them, numbers folded, each way of naming noticed.
. "$(dirname "$0")/lib.sh"
# Live bytes of leak() by thread name, of the profile that came by ORIGIN.
by_name="sorted((s['thread'] or 'None', value(s, 'live_objects'), value(s, 'live_bytes')) for p in profiles if p['origin'] == origin for s in p['sites']
         if any(f['function'] == 'leak' for f in s['frames']))"
expect_names() {  # ORIGIN EXPECTED
  local got
  got=$(get "(lambda origin: $by_name)('$1')")
  [ "$got" = "$2" ] || fail "by thread name, $1: $got, expected $2"
}
profile exact "$programs/thread_names"
expect 0
expect_names start "[('None', 10, 7000), ('io #/#', 40, 8000), ('late', 10, 8000), ('solo', 10, 3000), ('thread_names', 10, 4000), ('worker-#', 640, 64000)]"
expect_names fork "[('thread_names', 10, 5000), ('worker-#', 10, 6000)]"
adds_up
# Bytes mode, with blocks of many periods: each is sampled.
profile bytes "$programs/thread_names" 16777216
expect 0
expect_names start "[('None', 10, 1174405120), ('io #/#', 40, 1342177280), ('late', 10, 1342177280), ('solo', 10, 503316480), ('thread_names', 10, 671088640), ('worker-#', 640, 10737418240)]"
# More names than fit: "(other)"; nothing is lost.
profile exact "$programs/thread_names" 100 many
expect 0
[ "$(get "[sum(value(s, 'live_objects') for s in p['sites'] if s['thread'] == '(other)') for p in profiles if p['origin'] == 'start']")" = "[37]" ] ||
  fail "(other): $(get "[sum(value(s, 'live_objects') for s in p['sites'] if s['thread'] == '(other)') for p in profiles if p['origin'] == 'start']")"
[ "$(get "sum(len(p['loss']) for p in profiles)")" = 0 ] || fail "losses: $(get "[p['loss'] for p in profiles]")"
adds_up
finish
