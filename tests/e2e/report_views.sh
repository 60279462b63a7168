#!/usr/bin/env bash
# Every view of a real capture adds up to the report's total, and what goes through a function is what its stacks hold.
. "$(dirname "$0")/lib.sh"
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')
export PYTHONMALLOC=malloc COLUMNS=1000
cat >"$tmp/rows.py" <<'PY'
"""Sums a column of a view: top (rows at the root of a tree), self (all rows)."""
import re, sys
total = 0
for line in sys.stdin:
    fields = re.split(r"\s{2,}", line.strip())
    share = next((at for at, field in enumerate(fields) if re.fullmatch(r"<?[\d.]+ %", field)), None)
    if share is None or share == 0 or not fields[share - 1].isdigit():
        continue
    names = [field for field in fields[share + 1:] if not field.isdigit()]
    if sys.argv[1] == "self" or not re.match("[<>] ", names[0]):
        total += int(fields[share - 1])
print(total)
PY
# view COLUMN OPTIONS...: by churn, to the byte, with every row.
view() {
  local column=$1; shift
  "$heaptally" report "$tmp/capture.heaptally" --by churn --bytes --limit 0 "$@" >"$tmp/text" 2>"$tmp/err" || fail "report $*: $(cat "$tmp/err")"
  python3 "$tmp/rows.py" "$column" <"$tmp/text"
}
profile exact "$python" -S -c 'import json; x = [json.loads("[[1, 2], {\"a\": \"b\"}]") for _ in range(500)]'
expect 0
total=$(get 'value(profiles[0]["totals"], "allocated_bytes")')
[ "$total" -gt 100000 ] || fail "next to nothing was allocated"
for options in "--tree top-down" "--tree bottom-up" "--tree top-down --full" "--tree bottom-up --full"; do
  sum=$(view top $options --min-share 0); [ "$sum" = "$total" ] || fail "$options: $sum, the report has $total"
done
for group in line function module thread; do
  sum=$(view self --group $group); [ "$sum" = "$total" ] || fail "--group $group: $sum, the report has $total"
done
function=$(get 'max((sum(f["function"] == name for s in profiles[0]["sites"] for f in s["frames"]), name) for name in {f["function"] for s in profiles[0]["sites"] for f in s["frames"] if f["function"] and f["function"].startswith("PyObject_")})[1]')
through=$(get "sum(value(s, 'allocated_bytes') for s in profiles[0]['sites'] if any(f['function'] == '$function' for f in s['frames']))")
for option in --callers --callees; do
  sum=$(view top $option "$function" --min-share 0); [ "$sum" = "$through" ] || fail "$option $function: $sum, its stacks hold $through"
done
"$heaptally" report "$tmp/capture.heaptally" --callers "${function}x" 2>"$tmp/err" && fail "a function that is not there"
said -- "--callers '?[A-Za-z_]"
"$heaptally" report "$tmp/capture.heaptally" --by churn --site 1 >"$tmp/text" || fail "--site 1"
grep -q "lifetime" "$tmp/text" && grep -q "1 of " "$tmp/text" || fail "--site shows no lifetimes or no stack: $(cat "$tmp/text")"
"$heaptally" report "$tmp/capture.heaptally" --site 100000 2>"$tmp/err" && fail "a place that is not there"; said "--site 1 to"
printf '# known\nleak:Dict\nleak:no_such_function\n' >"$tmp/supp"
report_options="--suppressions $tmp/supp" report "$tmp/capture.heaptally"
left=$(get 'value(profiles[0]["totals"], "allocated_bytes")')
suppressed=$(python3 -c 'import json, sys; print(sum(int(s["allocated_bytes"]["v"]) for s in json.load(open(sys.argv[1]))["suppressed"]))' "$tmp/report.json")
[ "$suppressed" -gt 0 ] && [ $((left + suppressed)) = "$total" ] || fail "$left left and $suppressed suppressed are not $total"
"$heaptally" report "$tmp/capture.heaptally" --suppressions "$tmp/supp" | grep -q "suppressed, and in no other number" || fail "suppressions are not shown"
echo 'race:x' >>"$tmp/supp"
"$heaptally" report "$tmp/capture.heaptally" --suppressions "$tmp/supp" 2>"$tmp/err" && fail "a bad line is accepted"; said "supp:4: "
"$heaptally" report "$tmp/capture.heaptally" --program pyton 2>"$tmp/err" && fail "a program that is not there"; said "no image of a program"
finish
