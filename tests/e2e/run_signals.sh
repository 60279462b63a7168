#!/usr/bin/env bash
# Signals: what is sent to `run` reaches the program; what a terminal or a process sends to the whole group reaches it once; the summary
# is written all the same.
. "$(dirname "$0")/lib.sh"
wait_for() { for _ in $(seq 200); do [ -e "$1" ] && return; sleep 0.05; done; fail "never came: $1"; }
for signal in TERM HUP USR1 INT; do
  rm -f "$tmp/up" "$tmp/got"
  # bash starts background jobs with SIGINT ignored, which must stay so; python gives it back.
  python3 - "$heaptally" "$tmp" $signal <<'P' >"$tmp/out" 2>"$tmp/err" &
import signal, subprocess, sys, os
signal.signal(signal.SIGINT, signal.default_int_handler)
p = subprocess.Popen([sys.argv[1], "run", "-o", sys.argv[2] + "/c.heaptally", "--", "bash", "-c",
    "trap 'echo x >>%s/got; exit 42' %s; : >%s/up; while :; do sleep 0.05; done" % (sys.argv[2], sys.argv[3], sys.argv[2])],
    start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
open(sys.argv[2] + "/pid", "w").write(str(p.pid))
sys.exit(p.wait(60))
P
  job=$!
  wait_for "$tmp/up"
  kill -$signal "$(cat "$tmp/pid")"
  wait $job
  status=$?
  expect 42
  [ "$(cat "$tmp/got" 2>/dev/null)" = x ] || fail "$signal: not exactly once: $(cat "$tmp/got" 2>/dev/null | wc -l)"
  said "exit status 42"
done
# A whole process group is signalled, as timeout and supervisors do it: once, not once more by us.
for round in 1 2; do
  rm -f "$tmp/up" "$tmp/got"
  setsid "$heaptally" run -o "$tmp/c.heaptally" -- bash -c 'trap "echo x >>$0/got" TERM; : >$0/up; for i in $(seq 40); do sleep 0.05; done; exit 43' "$tmp" >"$tmp/out" 2>"$tmp/err" &
  job=$!
  wait_for "$tmp/up"
  kill -TERM -- -$job
  [ $round = 1 ] || { sleep 0.5; kill -TERM $job; }   # and then the tool alone
  wait $job
  status=$?
  expect 43
  [ "$(wc -l <"$tmp/got")" = $round ] || fail "$round signals, $(wc -l <"$tmp/got") came"
done
# A terminal's Ctrl-C, made by a pseudo-terminal.
python3 - "$heaptally" "$tmp" <<'P' || fail "Ctrl-C on a terminal"
import os, pty, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "run", "-o", sys.argv[2] + "/c.heaptally", "--", "bash", "-c",
             "trap 'n=$((n+1))' INT; echo up; sleep 1; sleep 0.2; exit $((40 + n))"])
text = b""
while b"up" not in text: text += os.read(fd, 1000)
time.sleep(0.2)
os.write(fd, b"\x03")
while True:
    try: more = os.read(fd, 1000)
    except OSError: break
    if not more: break
    text += more
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
if status != 41: sys.exit("status %d, expected 41 (the signal once): %r" % (status, text[-600:]))
if b"exit status 41" not in text: sys.exit("no summary: %r" % text[-600:])
P
finish
