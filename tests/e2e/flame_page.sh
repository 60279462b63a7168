#!/usr/bin/env bash
# The flame page and folded stacks of a real capture add up to what the report says, in every measure, exact and sampled.
. "$(dirname "$0")/lib.sh"
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')
export PYTHONMALLOC=malloc
cat >"$tmp/compare.py" <<'PY'
import json, re, sys
report, page = json.load(open(sys.argv[1])), open(sys.argv[2], encoding="utf-8").read()
measures = {"live": "live_bytes", "peak": "peak_live_bytes", "churn": "allocated_bytes", "calls": "allocations",
            "temporary": "temporary"}
data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])
shown = data["profiles"][1:] if len(data["profiles"]) > 1 else data["profiles"]
assert len(shown) == len(report["profiles"]) == 1, "one image was expected"
wrong = []
for name, member in measures.items():
    total = int(report["profiles"][0]["totals"][member]["v"])
    embedded = sum(shown[0]["leaves"][name])
    folded = sum(int(line.rsplit(" ", 1)[1]) for line in open(f"{sys.argv[3]}.{name}", encoding="utf-8"))
    if not total == embedded == folded or (total == 0 and name == "churn"):
        wrong.append(f"{name}: report {total}, page {embedded}, folded {folded}")
parents = shown[0]["nodes"]["parent"]
if any(parent >= node for node, parent in enumerate(parents)):
    wrong.append("a node stands before its parent")
if page.count("<script") != 2 or "http" in re.sub(r'<script type="application/json".*?</script>', "", page, flags=re.S).replace("http-equiv", ""):
    wrong.append("the page loads something")
ends = shown[0]["ends"]
if (sys.argv[4] == "bytes") != (ends is not None):
    wrong.append("intervals belong to sampled numbers, and to no others")
if ends:
    for name, member in measures.items():
        entry = report["profiles"][0]["totals"][member]
        if ends["nodes"][name][:2] != [int(entry["lo"]), -1 if entry["hi"] is None else int(entry["hi"])]:
            wrong.append(f"{name}: {ends['nodes'][name][:2]} is not the report's interval {entry}")
print("\n".join(wrong))
sys.exit(bool(wrong))
PY
for mode in exact bytes; do
  profile $mode "$python" -S -c 'import json; x = [json.loads("[[1, 2], {\"a\": \"b\"}]") for _ in range(20000)]'
  expect 0
  "$heaptally" flame "$tmp/capture.heaptally" -o "$tmp/page.html" >"$tmp/said" || fail "flame: status $?"
  [ "$(cat "$tmp/said")" = "$tmp/page.html" ] || fail "flame does not say where the page is"
  for by in live peak churn calls temporary; do
    "$heaptally" export --format folded "$tmp/capture.heaptally" --by $by >"$tmp/folded.$by" || fail "export --by $by: status $?"
  done
  python3 "$tmp/compare.py" "$tmp/report.json" "$tmp/page.html" "$tmp/folded" $mode || fail "$mode: see above"
done
"$heaptally" flame "$tmp/capture.heaptally" -o "$tmp/nowhere/page.html" 2>"$tmp/err" && fail "no complaint about a missing directory"
said "cannot be written"
"$heaptally" export "$tmp/capture.heaptally" --by chrun 2>"$tmp/err" && fail "no complaint about a measure"
said "by churn"
finish
