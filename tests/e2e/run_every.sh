#!/usr/bin/env bash
# `run --every`: moments of a program that grows, each readable, also after the tool was killed in the middle.
. "$(dirname "$0")/lib.sh"
python=$(python3 -c 'import sys; print(sys.executable)')
grow='import time
x = []
for i in range(14):
    x.append(bytes(1000000)); time.sleep(0.05)
time.sleep(0.6)'
"$heaptally" run --mode exact --every 100ms -o "$tmp/a.heaptally" -- "$python" -c "$grow" 2>"$tmp/err" || fail "run: $(cat "$tmp/err")"
"$heaptally" report "$tmp/a.heaptally" --moments >"$tmp/moments" || fail "--moments"
count=$(($(wc -l <"$tmp/moments") - 1))
[ "$count" -ge 3 ] || fail "$count moments: $(cat "$tmp/moments")"
live() { "$heaptally" report "$tmp/$1" --at "$2" --json 2>"$tmp/err" | python3 -c 'import json, sys; print(sum(p["totals"]["live_bytes"]["v"] for p in json.load(sys.stdin)["profiles"]))'; }
most=$("$heaptally" report "$tmp/a.heaptally" --moments --bytes | awk 'NR > 1 && $5 > best { best = $5; most = $1 } END { print most }')
[ "$(live a.heaptally 1)" -lt "$(live a.heaptally $most)" ] || fail "moment 1 $(live a.heaptally 1), the most $(live a.heaptally $most)"
[ "$(live a.heaptally 100ms)" = "$(live a.heaptally first)" ] || fail "100ms is not the first moment"
[ "$(live a.heaptally last)" = "$(live a.heaptally 1h)" ] || fail "an hour is not nearest to the last moment"
"$heaptally" report "$tmp/a.heaptally" --at 1 | grep -q "running" || fail "at the first moment it ran"
"$heaptally" report "$tmp/a.heaptally" --at 99 2>"$tmp/err" && fail "moment 99"; said "no moment 99"
"$heaptally" report "$tmp/a.heaptally" --at soon 2>"$tmp/err" && fail "moment soon"; said "names no moment"
"$heaptally" report $$ --at 1 2>"$tmp/err" && fail "a moment of a process"; said "only captures have moments"
# The difference of two moments is what was allocated in between and is left.
"$heaptally" diff "$tmp/a.heaptally@1" "$tmp/a.heaptally@$most" --json >"$tmp/diff.json" || fail "diff"
python3 - "$tmp/diff.json" "$(live a.heaptally 1)" "$(live a.heaptally $most)" <<'END' || failed=1
import json, sys
diff, before, after = json.load(open(sys.argv[1])), int(sys.argv[2]), int(sys.argv[3])
if not diff["one_image"] or not diff["total"]["change"]["exact"]: sys.exit("FAILED: not one exact image")
if diff["total"]["change"]["v"] != after - before: sys.exit(f"FAILED: {diff['total']['change']} is not {after} - {before}")
if sum(p["change"]["v"] for p in diff["places"]) != after - before: sys.exit("FAILED: places do not add up")
if diff["places"][0]["change"]["v"] < 1000000: sys.exit(f"FAILED: first place {diff['places'][0]}")
END
# The shell sees the last snapshot.
if command -v sqlite3 >/dev/null; then
  [ "$(sqlite3 "$tmp/a.heaptally" 'SELECT max(snapshots) >= 3 FROM images')" = 1 ] || fail "images: $(sqlite3 "$tmp/a.heaptally" 'SELECT * FROM images')"
  [ "$(sqlite3 "$tmp/a.heaptally" 'SELECT count(*) FROM site_row WHERE snapshot NOT IN (SELECT last_snapshot FROM images)')" = 0 ] || fail "rows of earlier snapshots"
fi
# Killed in the middle: what was taken is there, and gets its names when it is read.
"$heaptally" run --mode exact --every 100ms -o "$tmp/k.heaptally" -- "$python" -c "$grow; time.sleep(30)" 2>"$tmp/err" &
tool=$!
for _ in $(seq 100); do [ -e "$tmp/k.heaptally" ] && break; sleep 0.05; done
for _ in $(seq 200); do [ "$("$heaptally" report "$tmp/k.heaptally" --moments 2>/dev/null | wc -l)" -ge 4 ] && break; sleep 0.1; done
child=$(pgrep -P $tool)
kill -KILL $tool; wait $tool 2>/dev/null
[ -z "$child" ] || kill -KILL $child
"$heaptally" report "$tmp/k.heaptally" >"$tmp/text" 2>&1 || fail "killed: $(cat "$tmp/text")"
grep -q "running" "$tmp/text" || fail "killed: $(cat "$tmp/text")"
[ "$("$heaptally" report "$tmp/k.heaptally" --moments | wc -l)" -ge 3 ] || fail "killed: too few moments"
"$heaptally" run --every soon -- true 2>"$tmp/err" && fail "--every soon"; said "--every 1s"
finish
