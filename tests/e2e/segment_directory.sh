#!/usr/bin/env bash
# A segment directory that is missing, read-only or another user's: the program runs as without us, with nothing on its
# output; and `heaptally run` says what happened, with the path.
. "$(dirname "$0")/lib.sh"
need_root
mkdir -m 500 "$tmp/read-only"; mkdir -m 700 "$tmp/foreign"; chown nobody "$tmp/foreign"; chmod 755 "$tmp"
cp "$programs/hello_leak" "$tmp/hello_leak"; cp "$agent" "$tmp/agent.so"
for dir in "$tmp/missing/below" "$tmp/read-only" "$tmp/foreign" /proc/sys; do
  setpriv --reuid=65533 --regid=65533 --clear-groups env HEAPTALLY="mode=exact,dir=$dir" LD_PRELOAD="$tmp/agent.so" "$tmp/hello_leak" \
    >"$tmp/out" 2>"$tmp/err"
  status=$?
  expect 0
  [ ! -s "$tmp/err" ] || fail "$dir: the agent wrote on the program's stderr: $(head -c 300 "$tmp/err")"
  grep -q '"allocations": 2000' "$tmp/out" || fail "$dir: the program did not run to its end"
done
HEAPTALLY_DIR=/proc/sys/none "$heaptally" run -o "$tmp/c.heaptally" -- "$programs/hello_leak" >"$tmp/out" 2>"$tmp/err"
said "/proc/sys/none"
finish
