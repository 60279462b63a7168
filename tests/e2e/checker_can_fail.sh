#!/usr/bin/env bash
# The checker itself: a made-up report that is right passes, and each way of being wrong by one is caught.
. "$(dirname "$0")/lib.sh"
"$programs/single_thread" >"$tmp/out"
make_report() {   # CHANGE: Python that spoils `sites` or `profile`
  python3 - "$tmp" "$1" <<'PY'
import json, sys
tmp, change = sys.argv[1:]
truth = json.loads(open(tmp + "/out").readline())
names = ["allocations", "allocated_bytes", "frees", "freed_bytes", "reallocs", "live_objects", "live_bytes"]
estimate = lambda v: {"v": v, "lo": v, "hi": v, "n": None}
sites = [dict({n: row[n] for n in names}, id=i, frames=[{"function": "malloc"}, {"function": row["function"] + "(unsigned long)"}])
         for i, row in enumerate(truth["truth"])]
profile = {"pid": truth["pid"], "exe": "/x/single_thread", "mode": "exact", "state": "exited", "loss": {}, "unknown_frees": 0}
profile["totals"] = {n: sum(s[n] for s in sites) for n in names}
exec(change)
wrap = lambda m: {k: estimate(v) if k in names else v for k, v in m.items()}
profile["totals"], profile["sites"] = wrap(profile["totals"]), [wrap(s) for s in sites]
json.dump({"profiles": [profile]}, open(tmp + "/report.json", "w"))
PY
}
make_report "pass"
truth --mode exact --complete --profiles 1 --unknown-frees 0 --state exited
wrong() {
  make_report "$1"
  python3 "$here/check.py" truth "$tmp/report.json" "$tmp/out" --mode exact --complete --profiles 1 --unknown-frees 0 --state exited >"$tmp/said" &&
    fail "not caught: $1"
  grep -q '^FAILED: ' "$tmp/said" || fail "nothing said about: $1"
}
wrong 'sites[0]["allocations"] += 1; sites[0]["live_objects"] += 1; profile["totals"]["allocations"] += 1; profile["totals"]["live_objects"] += 1'
wrong 'sites[1]["frames"] = [{"function": "leak_a"}]'
wrong 'sites[2]["frees"] -= 1'
wrong 'profile["totals"]["live_bytes"] += 1'
wrong 'profile["loss"] = {"lock-timeout": 1}'
wrong 'profile["pid"] += 1'
wrong 'profile["unknown_frees"] = 1'
wrong 'profile["state"] = "running"'
wrong 'del sites[3]'
finish
