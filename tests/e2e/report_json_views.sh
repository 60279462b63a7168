#!/usr/bin/env bash
# `report --json` of trees, groups and places: adds up to the totals, and has the numbers of the text.
. "$(dirname "$0")/lib.sh"
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')
for mode in exact bytes; do
  "$heaptally" run --mode $mode $([ $mode = exact ] || echo --period 65536) -o "$tmp/c" -- "$python" -S -c 'x = {i: str(i) for i in range(20000)}' >/dev/null 2>&1
  for by in churn peak; do
    for view in "--tree top-down --full" "--tree bottom-up" "--group function" "--group module" "--group thread" "--site 1"; do
      "$heaptally" report "$tmp/c" $view --by $by --json >"$tmp/view" 2>"$tmp/err" || fail "$view: $(cat "$tmp/err")"
      "$heaptally" report "$tmp/c" $view --by $by --bytes --limit 0 --min-share 0 >"$tmp/text" 2>"$tmp/err" || fail "$view: $(cat "$tmp/err")"
      python3 - "$tmp/view" "$tmp/text" $mode $by <<'END' || fail "$mode, $view, by $by"
import json, sys
view, text, mode, by = json.load(open(sys.argv[1])), open(sys.argv[2]).read(), sys.argv[3], sys.argv[4]
member = {"churn": "allocated_bytes", "peak": "peak_live_bytes"}[by]
words = set(text.replace("(", " ").replace(",", " ").split())
total = view["profiles"][0]["totals"][member]["v"]
def near(a, b, n): return a == b if mode == "exact" else abs(a - b) <= n
if view["by"] != by or view["profiles"][0]["sites"]: sys.exit("by, or sites")
if "tree" in view:
    nodes, sums = view["tree"]["nodes"], {}
    for at, node in enumerate(nodes):
        if at and not node["parent"] < at: sys.exit("a child before its parent")
        if at: sums[node["parent"]] = sums.get(node["parent"], 0) + node["total"]["v"]
    for at, node in enumerate(nodes):
        if node["left_out"] or not near(sums.get(at, 0) + node["self"]["v"], node["total"]["v"], len(nodes)): sys.exit(f"node {node}")
    if nodes[0]["total"]["v"] != total or str(nodes[1]["total"]["v"]) not in words: sys.exit(f"root {nodes[0]}, {total}")
elif "groups" in view:
    rows = view["groups"]["rows"]
    if len(rows) != view["groups"]["rows_total"] or not near(sum(row["self"]["v"] for row in rows), total, len(rows)): sys.exit("selves")
    missing = [row for row in rows if row["self"]["v"] and str(row["self"]["v"]) not in words]
    if missing: sys.exit(f"the text has not {missing[:2]}")
else:
    place = view["places"][0]
    if place["row"] != 1 or not near(sum(site["site"][member]["v"] for site in place["sites"]), place[member]["v"], len(place["sites"])): sys.exit("place")
END
    done
  done
done
"$heaptally" report "$tmp/c" --site 9999 --json >"$tmp/view" 2>"$tmp/err" && fail "place 9999"
[ ! -s "$tmp/view" ] || fail "something was written all the same"
said "What works"
finish
