#!/usr/bin/env bash
# `env -i program`: env is profiled, the program behind it cannot be; that is said, and nothing breaks.
. "$(dirname "$0")/lib.sh"
profile exact env -i "$programs/hello_leak"
expect 0
grep -q '"function": "hello_leak", "allocations": 2000' "$tmp/out" || fail "the program did not run to its end"
[ "$(get 'len([p for p in profiles if p["exe"].endswith("/env")])')" = 1 ] || fail "no profile of env itself"
if [ "$(get 'len([p for p in profiles if p["exe"].endswith("/hello_leak")])')" = 1 ]; then truth; else
  said "environment|not recorded|exec"
fi
finish
