#!/usr/bin/env bash
# The pprof tool reads our files: same stacks, values, totals and tables, and what it prints is, stack by stack, what the folded file
# has, and in sum what the report has. HEAPTALLY_PPROF names another one than `pprof` or Go's.
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
  measures="live peak"; case $capture in *-count*) measures=calls ;; esac
  "$heaptally" report "$capture" --json >"$tmp/report.json" 2>"$tmp/err" || fail "report: $(cat "$tmp/err")"
  for by in $measures; do
    for file in file.pb.gz file.folded; do
      "$heaptally" export "$capture" --by $by -o "$tmp/$file" 2>"$tmp/err" || fail "export: $(cat "$tmp/err")"
    done
    python3 "$here/compare_pprof_tool.py" "$tmp/file.pb.gz" "$tmp/file.folded" "$tmp/report.json" $by $tool ||
      fail "$(basename "$capture"), $by: see above"
  done
done
finish
