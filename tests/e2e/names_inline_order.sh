#!/usr/bin/env bash
# Functions inlined into each other stand in one order in the report's text, its JSON, the folded stacks, pprof, speedscope and DHAT; and lambdas and
# anonymous namespaces have their scopes there.
. "$(dirname "$0")/lib.sh"
need g++
cat >"$tmp/main.cc" <<'C'
#include <cstdlib>
void *volatile kept;
#define INLINE inline __attribute__((always_inline))
namespace shop { namespace {
INLINE void innermost() { kept = malloc(6000); }                                  // line: innermost
struct Cart { INLINE void middle() { innermost(); } };                            // line: middle
__attribute__((noinline)) void outermost() {
  auto add = [](Cart cart) __attribute__((always_inline)) { cart.middle(); };     // line: lambda
  add(Cart());                                                                    // line: outermost
}
} }
int main() { shop::outermost(); return 0; }
C
g++ -g -O1 -w -o "$tmp/prog" "$tmp/main.cc" || fail "g++"
line() { grep -n "// line: $1\$" "$tmp/main.cc" | cut -d: -f1; }
profile exact "$tmp/prog"
expect 0
shape() { sed -E 's/.*innermost.*/innermost/; s/.*middle.*/middle/; s/.*(operator\(\)|lambda).*/lambda/; s/.*outermost.*/outermost/; s/^main .*/main/' | grep -E '^(innermost|middle|lambda|outermost|main)' | tr '\n' ' '; }
right="innermost middle lambda outermost main "
of_site='[f for s in profiles[0]["sites"] if value(s, "allocated_bytes") == 6000 for f in s["frames"]]'
json=$(get "chr(10).join(f['function'] or '?' for f in $of_site)" | shape)
[ "$json" = "$right" ] || fail "JSON: $json"
lines=$(get "[f['line'] for f in $of_site if (f['file'] or '').endswith('main.cc')][:4]")
[ "$lines" = "[$(line innermost), $(line middle), $(line lambda), $(line outermost)]" ] || fail "lines: $lines"
text=$("$heaptally" report "$tmp/capture.heaptally" --full | sed -nE 's/^ *([0-9]+\.|<) //p' | shape)
[ "$text" = "$right" ] || fail "text: $text in $("$heaptally" report "$tmp/capture.heaptally" --full)"
folded=$("$heaptally" export "$tmp/capture.heaptally" | grep ' 6000$' | sed 's/ 6000$//' | tr ';' '\n' | tac | shape)
[ "$folded" = "$right" ] || fail "folded: $folded"
"$heaptally" export "$tmp/capture.heaptally" -o "$tmp/x.pb.gz" && "$heaptally" export "$tmp/capture.heaptally" -o "$tmp/x.speedscope.json" &&
  "$heaptally" export "$tmp/capture.heaptally" -o "$tmp/x.dhat.json" || fail "export"
pprof=$(python3 - "$tmp/x.pb.gz" "$here" <<'P' | shape
import sys; sys.path.insert(0, sys.argv[2])
import read_pprof
p = read_pprof.read(sys.argv[1])
for s in p.samples:
    if 6000 in s.values: print("\n".join(frame[0].name for frame in read_pprof.frames_of(p, s)))
P
)
[ "$pprof" = "$right" ] || fail "pprof: $pprof"
for format in speedscope dhat; do
  other=$(python3 - "$tmp/x.$format.json" $format <<'P' | shape
import json, sys
d = json.load(open(sys.argv[1]))
if sys.argv[2] == "speedscope":   # root first
    one = next(p for p in d["profiles"] if 6000 in p["weights"])
    names = [d["shared"]["frames"][i]["name"] for i in reversed(one["samples"][one["weights"].index(6000)])]
else:                             # "0x401136: name (file:line)", leaf first
    names = [d["ftbl"][i].split(": ", 1)[-1] for i in next(p for p in d["pps"] if p["tb"] == 6000)["fs"]]
print("\n".join(names))
P
)
  [ "$other" = "$right" ] || fail "$format: $other"
done
for name in "shop::(anonymous namespace)::innermost" "shop::(anonymous namespace)::Cart::middle"; do
  [ "$(get "any((f['function'] or '').startswith('$name') for f in $of_site)")" = True ] || fail "no $name"
done
finish
