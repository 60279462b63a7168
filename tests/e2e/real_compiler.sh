#!/usr/bin/env bash
# g++ on a large generated file: driver, compiler proper and assembler are images of their own.
. "$(dirname "$0")/lib.sh"
need g++
python3 - "$tmp/big.cc" <<'PY'
import sys
with open(sys.argv[1], "w") as out:
    out.write("#include <map>\n#include <string>\n#include <vector>\n")
    for i in range(60):
        out.write(f"struct S{i} {{ int a[{i + 1}]; std::string s; }};\nint f{i}(std::map<int, S{i}> &m) {{ m[{i}].s = \"{i}\"; return m[{i}].a[0]; }}\n")
PY
report_options="--limit 50"   # of more than 100,000 sites: only totals are looked at
adds_up() { :; }
same_as_alone 5000 g++ -fno-diagnostics-color -Wall -c "$tmp/big.cc" -o "$tmp/big.o"
[ "$(get 'len([p for p in profiles if p["exe"].endswith("/cc1plus")])')" = 1 ] || fail "no profile of cc1plus"
finish
