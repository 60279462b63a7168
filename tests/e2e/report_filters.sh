#!/usr/bin/env bash
# --focus, --ignore and --hide mean the same in reports, exports and flame pages, and leave and lose what they should.
. "$(dirname "$0")/lib.sh"
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')
profile exact "$python" -S -c 'import json; x = [json.loads("[[1, 2], {\"a\": \"b\"}]") for _ in range(2000)]'
expect 0
total() { report_options="$*" report "$tmp/capture.heaptally"; get 'value(profiles[0]["totals"], "allocated_bytes")'; }
folded() { "$heaptally" export "$tmp/capture.heaptally" --by churn "$@" 2>"$tmp/err" | awk '{ sum += $NF } END { print sum + 0 }'; }
all=$(total) only=$(total --focus Dict) rest=$(total --ignore Dict)
[ "$only" -gt 0 ] && [ "$rest" -gt 0 ] || fail "--focus leaves $only, --ignore $rest"
[ $((only + rest)) = "$all" ] || fail "focus $only + ignore $rest is not $all"
[ "$(total --hide Dict)" = "$all" ] || fail "--hide changes the total"
total --hide Dict >/dev/null
[ "$(get 'sum("Dict" in (f["function"] or "") for s in profiles[0]["sites"] for f in s["frames"])')" = 0 ] || fail "--hide leaves frames"
[ "$(folded --focus Dict)" = "$only" ] && [ "$(folded --ignore Dict)" = "$rest" ] && [ "$(folded --hide Dict)" = "$all" ] ||
  fail "exports differ: $(folded --focus Dict) $(folded --ignore Dict) $(folded --hide Dict)"
folded --focus Dict >/dev/null; said "focus Dict: [0-9.<]+ % of allocated bytes"
"$heaptally" report "$tmp/capture.heaptally" --by churn --focus Dict | grep -q "focus Dict: .* of allocated bytes" || fail "the report does not say its share"
"$heaptally" flame "$tmp/capture.heaptally" --focus Dict -o "$tmp/page.html" >"$tmp/out" 2>"$tmp/err" || fail "flame"
said "focus Dict"; grep -q "focus Dict" "$tmp/page.html" || fail "the page does not say what it is of"
"$heaptally" report "$tmp/capture.heaptally" --focus nothing_is_called_so | grep -q "no stack matches" || fail "no match is not said"
for command in report flame export; do
  "$heaptally" $command "$tmp/capture.heaptally" --focus 'a(b' >"$tmp/out" 2>"$tmp/err"; status=$?
  expect 125; said "missing \), at character 2"
done
finish
