#!/usr/bin/env bash
# A process in a container of its own (pid and mount namespace, /dev/shm of its own) is listed and reported from outside by
# the pid that it has there; a volume in the place of /dev/shm keeps the tally after the container has gone.
. "$(dirname "$0")/lib.sh"
need_root; need unshare mount; [ -x /usr/bin/python3 ] || skip "no /usr/bin/python3"
unshare -m -p -f --mount-proc true 2>/dev/null || skip "unshare(CLONE_NEWNS | CLONE_NEWPID) is refused here"
cat >"$tmp/program.py" <<'P'
import time, sys
kept = [bytearray(100000) for _ in range(300)]
print("ready", flush=True)
sys.stdin.readline()
P
mkfifo "$tmp/go"
in_container() {  # DIRECTORY-INSIDE ARGS...: `heaptally run` behind a fresh /proc and /dev/shm
  local inside=$1; shift
  unshare -m -p -f --mount-proc bash -c 'mount -t tmpfs -o mode=1777 shm /dev/shm && export HEAPTALLY_DIR=$0 && exec "$@"' \
    "$inside" "$heaptally" run --mode exact -o "$tmp/capture.heaptally" -- "$@"
}
in_container /dev/shm/tallies /usr/bin/python3 "$tmp/program.py" <"$tmp/go" >"$tmp/out" 2>"$tmp/err" &
container=$!
exec 9>"$tmp/go"
for _ in $(seq 300); do grep -q ready "$tmp/out" && break; sleep 0.1; done
"$heaptally" ls >"$tmp/ls" 2>&1
grep -q program.py "$tmp/ls" && fail "the container's tally lies in the host's directory: nothing was tried"
"$heaptally" ls --all >"$tmp/ls" 2>&1
pid=$(awk '/program.py/ {print $1}' "$tmp/ls")
[ -n "$pid" ] && grep -q program.py "/proc/$pid/cmdline" || fail "ls --all does not list it by its pid here: $(cat "$tmp/ls")"
report "$pid"
[ "$(get "sum(value(p['totals'], 'live_bytes') for p in profiles) > 30000000")" = True ] || fail "report $pid sees no 30 MB live"
echo >&9; exec 9>&-
wait "$container"; status=$?
expect 0

# A volume: the whole container is killed, and what is left on the volume tells all.
mkdir -m 700 "$tmp/volume"
mkfifo "$tmp/go2"
in_container "$tmp/volume" /usr/bin/python3 "$tmp/program.py" <"$tmp/go2" >"$tmp/out" 2>"$tmp/err" &
container=$!
exec 9>"$tmp/go2"
for _ in $(seq 300); do grep -q ready "$tmp/out" && break; sleep 0.1; done
init=$(pgrep -P "$(pgrep -P "$container" | head -1)" | head -1)   # pid 1 of the container: all end with it
kill -KILL "$init"; wait "$container" 2>/dev/null; exec 9>&-
"$heaptally" ls --dir "$tmp/volume" >"$tmp/ls" 2>&1
grep -q program.py "$tmp/ls" || fail "the volume holds no tally: $(cat "$tmp/ls")"
report "$(ls "$tmp"/volume/*.seg)"
[ "$(get "sum(value(p['totals'], 'live_bytes') for p in profiles) > 30000000")" = True ] || fail "the volume's tally lacks 30 MB live"
finish
