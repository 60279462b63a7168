#!/usr/bin/env bash
# --require: what could not be recorded is not started (125, with the reason); what can be is.
. "$(dirname "$0")/lib.sh"
"$heaptally" run --require -o "$tmp/c.heaptally" -- "$programs/hello_static" >"$tmp/out" 2>"$tmp/err"; status=$?
expect 125
[ ! -s "$tmp/out" ] || fail "it ran"
said "statically linked"; said "not started"
HEAPTALLY_AGENT=/none/agent.so "$heaptally" run --require -- true 2>"$tmp/err"; status=$?
expect 125
said "/none/agent.so"
"$heaptally" run --require --dir /proc/sys/none -o "$tmp/c.heaptally" -- true 2>"$tmp/err"; status=$?
expect 125
said "/proc/sys/none"
mkdir -m 755 "$tmp/open"
"$heaptally" run --require --dir "$tmp/open" -o "$tmp/c.heaptally" -- true 2>"$tmp/err"; status=$?
expect 125
said "chmod 700 $tmp/open"
"$heaptally" run --require -o "$tmp/c.heaptally" -- true 2>"$tmp/err"; status=$?
expect 0
[ -e "$tmp/c.heaptally" ] || fail "no capture"
finish
