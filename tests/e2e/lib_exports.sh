# Sourced behind lib.sh by the scripts of exports.

# export_all CAPTURE: every format and measure of it, and its report, into $tmp/exports.
export_all() {
  rm -rf "$tmp/exports"; mkdir "$tmp/exports"
  "$heaptally" report "$1" --json >"$tmp/exports/report.json" 2>"$tmp/err" || fail "report: status $?: $(tail -c 300 "$tmp/err")"
  for file in live.folded peak.folded churn.folded calls.folded temporary.folded live.pb.gz peak.pb.gz; do
    "$heaptally" export "$1" --by "${file%%.*}" -o "$tmp/exports/$file" 2>"$tmp/err" || fail "export $file: status $?: $(tail -c 300 "$tmp/err")"
  done
  for file in all.speedscope.json all.dhat.json; do
    "$heaptally" export "$1" -o "$tmp/exports/$file" 2>"$tmp/err" || fail "export $file: status $?: $(tail -c 300 "$tmp/err")"
  done
}

# compare_exports: each of them with the report and with the others, stack by stack.
compare_exports() {
  [ -s "$tmp/exports/report.json" ] || { fail "$1: no report to compare with"; return; }
  python3 "$here/compare_exports.py" "$tmp/exports/report.json" "$tmp/exports" || fail "$1: see above"
}

# Captures of real programs, exact and sampled, in $tmp: python-*.heaptally, compiler-*.heaptally, redis-*.heaptally (where there
# is a redis), and of a program whose addresses are not its file offsets (where there is a linker that makes such).
capture_programs() {
  local mode
  for mode in exact period=65536; do
    local options="--mode exact"; [ $mode = exact ] || options="--period 65536"
    local objects=20000; [ $mode = exact ] || objects=200000
    PYTHONMALLOC=malloc "$heaptally" run $options -o "$tmp/python-${mode%=*}.heaptally" -- \
      "$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')" -S -E -c "x = {i: str(i) for i in range($objects)}; import os; os._exit(0)" \
      >/dev/null 2>"$tmp/err" || fail "python3: $(tail -c 300 "$tmp/err")"
    if command -v g++ >/dev/null; then
      echo '#include <string>
            std::string f(const std::string &a) { return a + "b"; }' >"$tmp/small.cc"
      [ $mode != exact ] || echo 'struct S { int a; }; int f(S *s) { return s->a; }' >"$tmp/small.cc"
      "$heaptally" run $options -o "$tmp/compiler-${mode%=*}.heaptally" -- g++ -c "$tmp/small.cc" -o "$tmp/small.o" >/dev/null 2>"$tmp/err" ||
        fail "g++: $(tail -c 300 "$tmp/err")"
    fi
    if command -v ld.lld >/dev/null && gcc -g -fuse-ld=lld "$here/../programs/hello_leak.c" -o "$tmp/lld_leak" 2>/dev/null; then
      "$heaptally" run $options -o "$tmp/lld-${mode%=*}.heaptally" -- "$tmp/lld_leak" >/dev/null 2>"$tmp/err" || fail "lld_leak: $(tail -c 300 "$tmp/err")"
    fi
    capture_redis "$tmp/redis-${mode%=*}.heaptally" $options
  done
}

capture_redis() {
  command -v redis-server >/dev/null && command -v redis-benchmark >/dev/null || { echo "no redis here"; return; }
  local capture=$1 socket=$tmp/redis.sock; shift
  "$heaptally" run "$@" -o "$capture" -- redis-server --port 0 --unixsocket "$socket" --save "" --dir "$tmp" >/dev/null 2>"$tmp/err" &
  local server=$!
  for _ in $(seq 100); do redis-cli -s "$socket" ping >/dev/null 2>&1 && break; sleep 0.1; done
  redis-benchmark -s "$socket" -n 10000 -r 5000 -d 200 -q -t set,lpush >/dev/null 2>&1
  redis-cli -s "$socket" shutdown nosave >/dev/null 2>&1
  wait $server || fail "redis-server: $(tail -c 300 "$tmp/err")"
}
