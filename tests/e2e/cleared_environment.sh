#!/usr/bin/env bash
# `env -i program`: both are profiled. A program that clears the environment by the system call itself escapes: it runs, and
# it is said that nothing of it is recorded.
. "$(dirname "$0")/lib.sh"
profile exact env -i "$programs/hello_leak"
expect 0
truth --mode exact --profiles 2
[ "$(get 'len([p for p in profiles if p["exe"].endswith("/env")])')" = 1 ] || fail "no profile of env itself"
profile exact "$programs/exec_ways" raw "$programs/hello_leak"
expect 0
grep -q '"function": "hello_leak", "allocations": 2000' "$tmp/out" || fail "the program did not run to its end"
profile exact "$programs/exec_ways" raw /bin/sleep 2
expect 0
said "which was not recorded|executed another program"
finish
