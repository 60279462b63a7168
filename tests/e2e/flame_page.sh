#!/usr/bin/env bash
# The data in a flame page, and folded stacks, of a real capture add up to what the report says, in every measure, exact and
# sampled; exact ones agree stack by stack. A living process, a missing folder and a wrong measure.
. "$(dirname "$0")/lib.sh"
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')
export PYTHONMALLOC=malloc
cat >"$tmp/compare.py" <<'PY'
import json, re, sys
sys.path.insert(0, sys.argv[5])
from flame_data import FlameData
report, data = json.load(open(sys.argv[1])), FlameData(sys.argv[2])
measures = {"live": "live_bytes", "peak": "peak_live_bytes", "churn": "allocated_bytes", "calls": "allocations",
            "temporary": "temporary"}
assert len(data.head["profiles"]) == len(report["profiles"]) == 1, "one image was expected"
wrong = []
for name, member in measures.items():
    total = report["profiles"][0]["totals"][member]["v"]
    folded = {}
    for line in open(f"{sys.argv[3]}.{name}", encoding="utf-8"):
        stack, value = line.rsplit(" ", 1)
        folded[stack] = int(value)
    if abs(data.total(name) - total) > 0.51 or abs(sum(folded.values()) - total) > 0.51 or (total == 0 and name == "churn"):
        wrong.append(f"{name}: report {total}, page {data.total(name)}, folded {sum(folded.values())}")
    if sys.argv[4] == "exact" and data.stacks(name) != folded:
        wrong.append(f"{name}: the page's stacks are not the folded ones")
if any(parent >= node for node, parent in enumerate(data.parent)):
    wrong.append("a node stands before its parent")
loads = re.sub(r'<script type="application/octet-stream".*?</script>', "", data.page, flags=re.S).replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
if data.page.count("<script") != 2 or "http" in loads or "src=" in loads:
    wrong.append("the page loads something")
if (sys.argv[4] == "bytes") != data.head["sampled"]:
    wrong.append("intervals belong to sampled numbers, and to no others")
print("\n".join(wrong))
sys.exit(bool(wrong))
PY
for mode in exact bytes; do
  profile $mode "$python" -S -c 'import json; x = [json.loads("[[1, 2], {\"a\": \"b\"}]") for _ in range(20000)]'
  expect 0
  "$heaptally" flame "$tmp/capture.heaptally" -o "$tmp/page.html" >"$tmp/out" 2>"$tmp/err" || fail "flame: status $?"
  [ "$(cat "$tmp/out")" = "$tmp/page.html" ] || fail "flame does not say where the page is"
  for by in live peak churn calls temporary; do
    "$heaptally" export --format folded "$tmp/capture.heaptally" --by $by >"$tmp/folded.$by" || fail "export --by $by: status $?"
  done
  python3 "$tmp/compare.py" "$tmp/report.json" "$tmp/page.html" "$tmp/folded" $mode "$here" || fail "$mode: see above"
done

# The page goes where the user is, under the capture's name; "-" is stdout.
(cd "$tmp" && mkdir here && cd here && "$heaptally" flame ../capture.heaptally >../out && [ -s capture.html ]) || fail "no capture.html here"
[ "$(cat "$tmp/out")" = capture.html ] || fail "flame said \"$(cat "$tmp/out")\", not capture.html"
"$heaptally" flame "$tmp/capture.heaptally" -o - | cmp -s - "$tmp/page.html" || fail "another page on stdout"

# A process that runs, by its pid.
"$heaptally" run --mode exact -o "$tmp/living.heaptally" -- "$python" -S -c 'x = [bytearray(1000) for _ in range(100)]; print("ready", flush=True); input()' \
  < <(sleep 30) >"$tmp/living.out" 2>"$tmp/living.err" &
run=$!
for _ in $(seq 100); do grep -q ready "$tmp/living.out" && break; sleep 0.1; done
pid=$("$heaptally" ls --dir "$HEAPTALLY_DIR" | awk '/running/ { print $1; exit }')
[ -n "$pid" ] || fail "ls shows no running process"
"$heaptally" flame "$pid" -o "$tmp/now.html" >/dev/null 2>"$tmp/err" || fail "flame PID: $(cat "$tmp/err")"
PYTHONPATH=$here python3 -c '
import sys
from flame_data import FlameData
head = FlameData(sys.argv[1]).head
assert head["profiles"][0]["end"].startswith("running"), head["profiles"][0]
assert head["profiles"][0]["live"] == "live now", head["profiles"][0]' "$tmp/now.html" || fail "the page of a living process"
kill "$pid" 2>/dev/null
wait $run

"$heaptally" flame "$tmp/capture.heaptally" -o "$tmp/nowhere/page.html" 2>"$tmp/err" && fail "no complaint about a missing directory"
said "cannot be written"
"$heaptally" export "$tmp/capture.heaptally" --by chrun 2>"$tmp/err" && fail "no complaint about a measure"
said "by churn"
finish
