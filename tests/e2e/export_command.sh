#!/usr/bin/env bash
# `heaptally export` itself: formats by name and by ending, one process of several, a running process, what it refuses.
. "$(dirname "$0")/lib.sh"
capture=$tmp/capture.heaptally
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')
"$heaptally" run --mode exact -o "$capture" -- sh -c "'$python' -S -c 'x = [str(i) for i in range(100)]'; true" >/dev/null 2>"$tmp/err" ||
  fail "run: $(cat "$tmp/err")"

# kind FILE: what is in it, told from its content.
kind() {
  python3 - "$1" <<'PY'
import json, sys
data = open(sys.argv[1], "rb").read()
if data[:2] == b"\x1f\x8b":
    print("pprof")
elif data[:1] == b"{":
    file = json.loads(data)
    print("dhat" if "dhatFileVersion" in file else "speedscope" if "shared" in file else "?")
else:
    print("folded" if all(line.rsplit(" ", 1)[1].isdigit() for line in data.decode().splitlines()) else "?")
PY
}
for pair in x.pb.gz:pprof x.pprof:pprof x.folded:folded x.txt:folded x.speedscope.json:speedscope x.speedscope:speedscope \
            x.dhat.json:dhat x.dhat:dhat x:folded; do
  "$heaptally" export "$capture" -o "$tmp/${pair%:*}" 2>"$tmp/err" || fail "$pair: $(cat "$tmp/err")"
  [ "$(kind "$tmp/${pair%:*}")" = "${pair#*:}" ] || fail "${pair%:*} is $(kind "$tmp/${pair%:*}")"
done
for format in pprof folded speedscope dhat; do
  "$heaptally" export "$capture" --format $format >"$tmp/out" 2>"$tmp/err" || fail "$format: $(cat "$tmp/err")"
  [ "$(kind "$tmp/out")" = $format ] || fail "$format on stdout is $(kind "$tmp/out")"
done

# refuses WORDS... : with the words that are in $1
refuses() {
  local words=$1; shift
  "$heaptally" export "$capture" "$@" >"$tmp/out" 2>"$tmp/err"
  local status=$?
  [ $status = 125 ] || fail "export $*: status $status"
  [ ! -s "$tmp/out" ] || fail "export $*: something was written all the same"
  said "$words"
}
refuses 'What works: --format pprof' --format pproof
refuses 'speedscope or DHAT' -o "$tmp/y.json"
refuses 'What works: --class mapped' --class maped
refuses 'no place for temporary' --format pprof --by temporary
refuses 'no process 1 in it' --pid 1
# Mode count knows no bytes: a DHAT file is refused, and the files that have other columns say which are missing.
"$heaptally" run --mode count --period 2 -o "$tmp/count.heaptally" -- "$python" -S -c 'x = [str(i) for i in range(9000)]' >/dev/null 2>&1
for pair in x.pb.gz:'left out of the pprof file' x.speedscope.json:'left out of the speedscope file' x.folded:'the file is of calls'; do
  "$heaptally" export "$tmp/count.heaptally" -o "$tmp/${pair%%:*}" 2>"$tmp/err" || fail "count, ${pair%%:*}: $(cat "$tmp/err")"
  said "mode count counts calls.*${pair#*:}"
done
"$heaptally" export "$tmp/count.heaptally" -o "$tmp/no.dhat.json" 2>"$tmp/err" && fail "DHAT of mode count"
said 'a dhat file is of bytes' && said 'What works: --format pprof, speedscope or folded'
[ ! -e "$tmp/no.dhat.json" ] || fail "a DHAT file of mode count was begun"
script -qec "'$heaptally' export '$capture' --format pprof" /dev/null >"$tmp/terminal" 2>&1 && fail "binary data on a terminal"
grep -q 'stdout is a terminal' "$tmp/terminal" || fail "a terminal: $(head -c 300 "$tmp/terminal")"

# One process of several.
pid=$("$heaptally" report "$capture" --json | python3 -c 'import json, sys; print([p["pid"] for p in json.load(sys.stdin)["profiles"] if "python" in p["exe"]][0])')
sum() { awk '{ sum += $NF } END { print sum + 0 }' "$1"; }
"$heaptally" export "$capture" --by churn >"$tmp/all"
"$heaptally" export "$capture" --by churn --pid "$pid" >"$tmp/one" 2>"$tmp/err" || fail "--pid: $(cat "$tmp/err")"
grep "^[^;]* ($pid);" "$tmp/all" >"$tmp/part"
[ "$(sum "$tmp/one")" = "$(sum "$tmp/part")" ] && [ "$(sum "$tmp/one")" -gt 0 ] && [ "$(sum "$tmp/one")" -lt "$(sum "$tmp/all")" ] ||
  fail "--pid has $(sum "$tmp/one") bytes, the whole has $(sum "$tmp/part") of it"

# Fewer stacks, the same sum.
for most in 1 20; do
  "$heaptally" export "$capture" --by churn --max-samples $most -o "$tmp/few.pb.gz" 2>"$tmp/err" || fail "--max-samples: $(cat "$tmp/err")"
  python3 -c "
import sys; sys.path.insert(0, '$here')
import read_pprof
p = read_pprof.read('$tmp/few.pb.gz')
churn = sum(sample.values[1] for sample in p.samples)
sys.exit(0 if (len(p.samples), churn) == ($most, $(sum "$tmp/all")) else f'{len(p.samples)} stacks, {churn} bytes')" || fail "--max-samples $most"
done

# A process that runs.
mkfifo "$tmp/pipe"
"$heaptally" run -o "$tmp/running.heaptally" -- "$python" \
  -c 'import os; x = bytearray(50000000); print("pid", os.getpid(), flush=True); input()' <"$tmp/pipe" >"$tmp/up" 2>/dev/null &
exec 9>"$tmp/pipe"
for _ in $(seq 100); do grep -q pid "$tmp/up" && break; sleep 0.1; done
pid=$(sed -n "s/^pid //p" "$tmp/up")
"$heaptally" export "$pid" -o "$tmp/running.pb.gz" 2>"$tmp/err" || fail "pid $pid: $(cat "$tmp/err")"
python3 -c "
import sys; sys.path.insert(0, '$here')
import read_pprof
p = read_pprof.read('$tmp/running.pb.gz')
live = sum(sample.values[3] for sample in p.samples)
rules = read_pprof.broken_rules(p)
sys.exit(f'{live} live, {rules}' if live < 50000000 or rules or p.period != 524288 else 0)" || fail "the profile of a running process"
echo >&9
exec 9>&-
wait
finish
