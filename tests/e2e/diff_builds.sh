#!/usr/bin/env bash
# `diff` of two builds: lines moved and a function came, and only what really changed is shown.
. "$(dirname "$0")/lib.sh"
need g++
cat >"$tmp/old.cc" <<'END'
#include <cstdlib>
#include <cstring>
void* volatile kept;
__attribute__((noinline)) void cache_insert(size_t bytes) { kept = memset(malloc(bytes), 1, bytes); }
__attribute__((noinline)) void read_header() { kept = memset(malloc(5000), 1, 5000); }
int main() {
  for (int i = 0; i < 10; ++i) cache_insert(10000);
  for (int i = 0; i < 10; ++i) read_header();
}
END
sed -e 's/^void\* volatile/\/\/ a comment\n\n\nvoid* volatile/' -e 's/^int main() {/__attribute__((noinline)) void added() { kept = memset(malloc(777), 1, 777); }\nint main() {\n  added();/' \
  -e 's/i < 10; ++i) cache/i < 30; ++i) cache/' "$tmp/old.cc" >"$tmp/new.cc"
mkdir -p "$tmp/1" "$tmp/2"
for build in 1:old 2:new; do
  cp "$tmp/${build#*:}.cc" "$tmp/${build%:*}/server.cc"
  g++ -g -O1 -o "$tmp/${build%:*}/server" "$tmp/${build%:*}/server.cc" || fail "build"
  "$heaptally" run --mode exact -o "$tmp/${build#*:}.heaptally" -- "$tmp/${build%:*}/server" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
done
"$heaptally" diff "$tmp/old.heaptally" "$tmp/new.heaptally" --json >"$tmp/diff.json" || fail diff
python3 - "$tmp/diff.json" <<'END' || failed=1
import json, sys
diff = json.load(open(sys.argv[1]))
found = {p["frame"]["function"].split("(")[0]: (p["kind"], p["change"]["v"]) for p in diff["places"]}
if found != {"cache_insert": ("grown", 200000), "added": ("new", 777)}: sys.exit(f"FAILED: {found}")
if diff["total"]["change"]["v"] != 200777 or diff["one_image"]: sys.exit(f"FAILED: {diff['total']}")
END
"$heaptally" diff "$tmp/old.heaptally" "$tmp/new.heaptally" >"$tmp/text" || fail text
[ "$(awk '{ if (length($0) > 80) n++ } END { print n + 0 }' "$tmp/text")" = 0 ] || fail "wider than 80: $(cat "$tmp/text")"
grep -q "cache_insert.*+195 KiB.*grown" "$tmp/text" || fail "$(cat "$tmp/text")"
# Filters narrow both sides.
"$heaptally" diff "$tmp/old.heaptally" "$tmp/new.heaptally" --focus added --json >"$tmp/diff.json" || fail "focus"
"$heaptally" diff "$tmp/old.heaptally" "$tmp/new.heaptally" --ignore cache_ >"$tmp/text" || fail "ignore"
grep -q "^only:   ignore cache_" "$tmp/text" && ! grep -q cache_insert "$tmp/text" || fail "ignore: $(cat "$tmp/text")"
python3 - "$tmp/diff.json" <<'END' || failed=1
import json, sys
diff = json.load(open(sys.argv[1]))
if diff["total"]["change"]["v"] != 777 or len(diff["places"]) != 1 or diff["narrowed"] != "focus added": sys.exit(f"FAILED: focus: {diff}")
END
"$heaptally" diff "$tmp/old.heaptally" "$tmp/new.heaptally" --focus '(' 2>"$tmp/err" && fail "a wrong expression"
said "grep -E"
# Mode count knows no bytes: it is compared by calls, and asked for bytes it says so.
for build in old:1 new:2; do
  "$heaptally" run --mode count --period 2 -o "$tmp/${build%:*}.count.heaptally" -- "$tmp/${build#*:}/server" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
done
counts=("$tmp/old.count.heaptally" "$tmp/new.count.heaptally")
"$heaptally" diff "${counts[@]}" --json >"$tmp/diff.json" || fail "diff of counts"
grep -q '"by":"calls"' <<<"$(tr -d ' \n' <"$tmp/diff.json")" || fail "counts: $(head -c 300 "$tmp/diff.json")"
for asked in '--by live' "--fail-if live>5%"; do
  "$heaptally" diff "${counts[@]}" $asked >"$tmp/text" 2>"$tmp/err"; [ $? = 125 ] || fail "$asked of counts"
  said "mode count counts calls"
done
"$heaptally" report "${counts[0]}" --fail-if 'live > 1 MiB' >"$tmp/text" 2>"$tmp/err"; [ $? = 125 ] || fail "fail-if live of a count"
"$heaptally" diff "$tmp/old.heaptally" "$tmp/old.heaptally" >"$tmp/text"; grep -q "no change" "$tmp/text" || fail "$(cat "$tmp/text")"
"$heaptally" diff "$tmp/old.heaptally" 2>"$tmp/err" && fail "one side"; said "@first"
# Conditions for a build: 123 if one holds, the program's own status first.
status_of() { "$@" >"$tmp/text" 2>"$tmp/err"; echo $?; }
both=("$tmp/old.heaptally" "$tmp/new.heaptally")
[ "$(status_of "$heaptally" diff "${both[@]}" --fail-if 'live > 5 %')" = 123 ] || fail "diff: $(cat "$tmp/err")"
said "cache_insert"
[ "$(status_of "$heaptally" diff "${both[@]}" --fail-if 'live > 1 MiB')" = 0 ] || fail "diff below: $(cat "$tmp/err")"
[ "$(status_of "$heaptally" report "$tmp/new.heaptally" --fail-if 'live > 1 MiB' --fail-if 'calls > 3')" = 123 ] || fail "report: $(cat "$tmp/err")"
[ "$(status_of "$heaptally" report "$tmp/new.heaptally" --fail-if 'live < 1 MiB' --json)" = 123 ] || fail "report --json: $(cat "$tmp/err")"
[ "$(status_of "$heaptally" report "$tmp/new.heaptally" --fail-if 'live > 1 MiB')" = 0 ] || fail "report below: $(cat "$tmp/err")"
run=("$heaptally" run --mode exact -o "$tmp/r.heaptally")
[ "$(status_of "${run[@]}" --fail-if 'calls > 3' -- "$tmp/1/server")" = 123 ] || fail "run: $(cat "$tmp/err")"
[ "$(status_of "${run[@]}" --fail-if 'calls > 300' -- "$tmp/1/server")" = 0 ] || fail "run below: $(cat "$tmp/err")"
[ "$(status_of "${run[@]}" --fail-if 'calls >= 0' -- sh -c 'exit 7')" = 7 ] || fail "the program's status is first: $(cat "$tmp/err")"
[ "$(status_of "${run[@]}" --fail-if 'live >> 3' -- touch "$tmp/started")" = 125 ] || fail "a wrong condition"
said "character 6"
[ ! -e "$tmp/started" ] || fail "started in spite of a wrong condition"
finish
