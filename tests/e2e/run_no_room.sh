#!/usr/bin/env bash
# Programs that a profiled one executes and whose agent can make no tally, since a limit or a full directory forbids it, run to their end and
# are named as not seen, with what works: "nothing lost" is not said. Nothing stays behind.
. "$(dirname "$0")/lib.sh"
export directory=$HEAPTALLY_DIR
try() {  # WHAT SCRIPT: $0 is the program
  timeout 60 "$heaptally" run --mode exact --dir "$directory" -o "$tmp/c.heaptally" -- bash -c "$2" "$programs/hello_leak" >"$tmp/out" 2>"$tmp/err" || fail "$1: status $?"
  grep -q '"allocations": 2000' "$tmp/out" || fail "$1: the program did not run to its end"
  tr '\n' ' ' <"$tmp/err" | tr -s ' ' >"$tmp/flat"
  grep -Eq "not seen: .*hello_leak \((pid [0-9]+|2 times, first pid [0-9]+)\), which found no room for its tally \(.*--dir" "$tmp/flat" || fail "$1: not named: $(tail -c 400 "$tmp/flat")"
  grep -q "nothing lost" "$tmp/err" && fail "$1: said to be whole"
  "$heaptally" report "$tmp/c.heaptally" | tr '\n' ' ' | tr -s ' ' | grep -q "Not recorded: hello_leak" || fail "$1: the capture does not say it"
  [ -z "$(ls "$directory")" ] || fail "$1: left behind: $(ls "$directory")"
}
try "file size, the same process" 'ulimit -f 64; exec "$0"'
try "file size, children" 'ulimit -f 64; "$0"; "$0"; true'
try "file size 0" '(ulimit -f 0; "$0") | cat'
# Room for the first program's tally, and for no other.
mkdir "$tmp/small"
mount -t tmpfs -o size=5m,mode=0700 none "$tmp/small" 2>/dev/null || skip "no tmpfs can be mounted here (limits passed)"
export directory=$tmp/small
try "a full directory" 'head -c 5000000 /dev/zero >"$directory/filler" 2>/dev/null; "$0"; rm "$directory/filler"'
umount "$tmp/small"
finish
