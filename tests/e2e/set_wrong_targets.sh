#!/usr/bin/env bash
# `heaptally set` on what it cannot speak to: a sentence that says why and what works, status 125.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/commanded.sh"
begin bytes
change 125 "$pid"
said "nothing to change"
change 125 "$pid" --pause --resume
said "exclude each other"
change 125 commandet --pause
said "heaptally set commanded"
change 125 $$ --pause
said "is not being profiled"
change 125 999999999 --pause
said "there is no process 999999999"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  setpriv --reuid=65534 --regid=65534 --clear-groups "$heaptally" set "$pid" --pause >"$tmp/err" 2>&1 && fail "another user may pause it"
  said "65534|belongs|permission|another user|not be used|cannot"
fi
HEAPTALLY="mode=bytes,dir=$HEAPTALLY_DIR" LD_PRELOAD="$agent" "$programs/commanded" <<<"end" >"$tmp/dead" || fail "status $?"
change 125 "$(head -1 "$tmp/dead")" --pause
said "has ended"
change 0 "$pid" --pause
end
finish
