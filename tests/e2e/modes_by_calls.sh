#!/usr/bin/env bash
# Modes count and per-class against a program's own truth; what is not known is null or "not known"; every view takes them.
. "$(dirname "$0")/lib.sh"
views() {  # FIRST-MEASURE: text, folded, page
  "$heaptally" report "$tmp/capture.heaptally" --by calls >"$tmp/err" 2>&1 || fail "report: $?"
  "$heaptally" report "$tmp/capture.heaptally" --full >"$tmp/full" 2>&1 || fail "report --full: $?"
  grep -q small_churn "$tmp/err" || fail "small_churn is not shown: $(head -c 600 "$tmp/err")"
  "$heaptally" export "$tmp/capture.heaptally" >"$tmp/folded" 2>/dev/null || fail "export: $?"
  grep -q "small_churn\|middle_stays" "$tmp/folded" || fail "folded: $(head -c 300 "$tmp/folded")"
  "$heaptally" flame "$tmp/capture.heaptally" -o "$tmp/page.html" >/dev/null || fail "flame: $?"
  python3 - "$tmp/page.html" "$1" <<'PAGE' || fail "the page does not open on $1"
import base64, re, sys, zlib
for packed in re.findall(r"[A-Za-z0-9+/=]{400,}", open(sys.argv[1]).read()):
    try:
        if b'"measure":"%s"' % sys.argv[2].encode() in zlib.decompress(base64.b64decode(packed), 31):
            sys.exit(0)
    except Exception:
        pass
sys.exit(1)
PAGE
}
run_options="--period 200"
profile count "$programs/modes_mix"
expect 0
said "one call in 200 recorded"
said "bytes are not known in mode count"
said "report .* --by calls"
truth --mode count
[ "$(get "[p['totals']['allocated_bytes'] for p in profiles] + [p['totals']['peak_live_objects'] for p in profiles] + [p['period_bytes'] for p in profiles]")" = "[None, None, None, None, None, None]" ] || fail "bytes of mode count: $(get "profiles[0]['totals']")"
[ "$(get "any(s['temporary']['v'] > 250000 for p in profiles for s in p['sites'] if s['frames'][0]['function'] == 'small_churn')")" = True ] || fail "temporary blocks are not seen"
views calls
"$heaptally" report "$tmp/capture.heaptally" --by live >"$tmp/err" 2>&1 && fail "live bytes of mode count are shown"
said "live bytes are not known"
said "per-class"
profile per-class "$programs/modes_mix"
expect 0
said "one call in 200 recorded, sizes alike"
truth --mode per-class
# 20 blocks of 8 MiB among 700,000 calls: all are there, and known for certain to be.
[ "$(get "[s['live_bytes']['lo'] for p in profiles for s in p['sites'] if s['frames'][0]['function'] == 'large_stays']")" = "[$((20 * 8388608))]" ] ||
  fail "large blocks: $(get "[s['live_bytes'] for p in profiles for s in p['sites'] if s['frames'][0]['function'] == 'large_stays']")"
views live
finish
