#!/usr/bin/env bash
# `snapshot`: a running process by pid and by name; again into the same capture; wrong ones are refused and leave nothing.
. "$(dirname "$0")/lib.sh"
cd "$tmp" || exit 1
start() {
  LD_PRELOAD="$agent" HEAPTALLY="mode=exact,dir=$HEAPTALLY_DIR" python3 -c 'import sys, time
x = []
for line in sys.stdin:
    x.append(bytes(3000000)); print("done", flush=True)' <"$1" >"$2" &
}
mkfifo in
start in out; pid=$!
exec 5>in
more() { echo >&5; for _ in $(seq 200); do [ "$(wc -l <out)" -ge "$1" ] && return; sleep 0.05; done; fail "no answer $1"; }
more 1
"$heaptally" snapshot $pid -o s.heaptally 2>err || fail "snapshot: $(cat err)"
grep -q "moment 1 " err || fail "$(cat err)"
more 2
"$heaptally" snapshot $pid -o s.heaptally 2>err || fail "again: $(cat err)"
grep -q "moment 2 " err || fail "$(cat err)"
"$heaptally" diff s.heaptally@first s.heaptally --json >diff.json || fail "diff"
python3 -c 'import json; d = json.load(open("diff.json")); assert 3000000 <= d["total"]["change"]["v"] < 3100000 and d["one_image"], d["total"]' || fail "$(head -c 400 diff.json)"
more 3
"$heaptally" diff s.heaptally $pid --json >diff.json || fail "diff with a process"
python3 -c 'import json; d = json.load(open("diff.json")); assert 3000000 <= d["total"]["change"]["v"] < 3100000, d["total"]' || fail "$(head -c 400 diff.json)"
name=$(basename "$(readlink -f /proc/$pid/exe)")
"$heaptally" snapshot "$name" 2>err || fail "by name: $(cat err)"
[ -e "$name.$pid.heaptally" ] || fail "by name: $(ls)"
"$heaptally" snapshot --all -o all.heaptally 2>err || fail "--all: $(cat err)"
cp s.heaptally kept
"$heaptally" snapshot 999999 -o none.heaptally 2>err && fail "a process that is not there"
grep -q "What works" err || fail "$(cat err)"
"$heaptally" snapshot $$ -o none.heaptally 2>err && fail "a process without the agent"
"$heaptally" snapshot "${name}x" -o none.heaptally 2>err && fail "a wrong name"
grep -q "$name, if that was meant" err || fail "$(cat err)"
[ ! -e none.heaptally ] || fail "something was left behind"
start /dev/null other; other=$!
sleep 0.3
echo text >text.heaptally
"$heaptally" snapshot $pid -o text.heaptally 2>err && fail "into a text"; grep -q "not a capture" err || fail "$(cat err)"
mkfifo in2; start in2 out2; second=$!; exec 6>in2; echo >&6
for _ in $(seq 200); do grep -q done out2 && break; sleep 0.05; done
"$heaptally" snapshot $second -o s.heaptally 2>err && fail "another process"; grep -q "of another process" err || fail "$(cat err)"
cmp s.heaptally kept || fail "a refused snapshot changed the capture"
ls | grep -q tmp- && fail "left behind: $(ls)"
exec 5>&- 6>&-
wait $pid $other $second
finish
