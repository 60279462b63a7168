# Sourced behind lib.sh by the scripts of exports.

# export_all CAPTURE: every format and measure of it, and its report, into $tmp/exports. What mode count does not know has to be
# refused, in three parts.
export_all() {
  rm -rf "$tmp/exports"; mkdir "$tmp/exports"
  "$heaptally" report "$1" --json >"$tmp/exports/report.json" 2>"$tmp/err" || fail "report: status $?: $(tail -c 300 "$tmp/err")"
  local file files="live.folded peak.folded churn.folded calls.folded temporary.folded live.pb.gz peak.pb.gz all.speedscope.json all.dhat.json"
  if grep -q '"mode":"count"' "$tmp/exports/report.json"; then
    for file in live.folded peak.folded churn.folded live.pb.gz peak.pb.gz churn.pb.gz live.speedscope.json peak.dhat.json all.dhat.json; do
      export_as "$1" "$file" && fail "$file of mode count was written"
      said "mode count counts calls.*" && said "What works: --.*--mode per-class"
      [ ! -e "$tmp/exports/$file" ] || fail "$file was begun all the same"
    done
    files="calls.folded temporary.folded calls.pb.gz all.speedscope.json"
  fi
  for file in $files; do
    export_as "$1" "$file" || fail "export $file: status $?: $(tail -c 300 "$tmp/err")"
  done
}

# export_as CAPTURE MEASURE.ENDING: into $tmp/exports; `all` is no measure, but what comes without --by.
export_as() {
  local by=${2%%.*}
  if [ "$by" = all ]; then "$heaptally" export "$1" -o "$tmp/exports/$2" 2>"$tmp/err"
  else "$heaptally" export "$1" --by "$by" -o "$tmp/exports/$2" 2>"$tmp/err"; fi
}

# compare_exports: each of them with the report and with the others, stack by stack.
compare_exports() {
  [ -s "$tmp/exports/report.json" ] || { fail "$1: no report to compare with"; return; }
  python3 "$here/compare_exports.py" "$tmp/exports/report.json" "$tmp/exports" || fail "$1: see above"
}

# Captures of real programs, exact and sampled, in $tmp: python-*.heaptally, compiler-*.heaptally, redis-*.heaptally (where there
# is a redis), python's too by calls, and of a program whose addresses are not its file offsets (where there is a linker that makes such).
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
  local python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')
  for mode in count per-class; do
    PYTHONMALLOC=malloc "$heaptally" run --mode $mode --period 50 -o "$tmp/python-$mode.heaptally" -- \
      sh -c "'$python' -S -c 'x = {i: str(i) for i in range(50000)}; import os; os._exit(0)'; true" \
      >/dev/null 2>"$tmp/err" || fail "python3, $mode: $(tail -c 300 "$tmp/err")"
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
