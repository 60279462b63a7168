#!/usr/bin/env bash
# The pprof tool reads our files: same stacks, values, totals and tables. HEAPTALLY_PPROF names another one than `pprof` or Go's.
. "$(dirname "$0")/lib.sh"
. "$here/lib_exports.sh"
if [ -n "${HEAPTALLY_PPROF:-}" ]; then
  tool=$HEAPTALLY_PPROF
elif pprof -h 2>&1 | grep -q -- -proto; then
  tool=pprof
elif command -v go >/dev/null; then
  # Newer Go versions build it when it is first asked for.
  export GOTOOLCHAIN=local
  timeout 80 go tool pprof -h 2>&1 | grep -q -- -proto || skip "go tool pprof does not work here"
  tool="go tool pprof"
else
  skip "neither pprof nor go is installed"
fi
capture_programs
for capture in "$tmp"/*.heaptally; do
  for by in live peak; do
    "$heaptally" export "$capture" --by $by -o "$tmp/file.pb.gz" 2>"$tmp/err" || fail "export: $(cat "$tmp/err")"
    python3 "$here/compare_pprof_tool.py" "$tmp/file.pb.gz" $tool || fail "$(basename "$capture"), $by: see above"
  done
done
finish
