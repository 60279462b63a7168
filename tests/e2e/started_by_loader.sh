#!/usr/bin/env bash
# `ld.so ./program`: the program is what the link map says, not /proc/self/exe; names are its own.
. "$(dirname "$0")/lib.sh"
loader=$(readelf -lW "$programs/hello_leak" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
[ -x "$loader" ] || skip "no loader found"
profile exact "$loader" "$programs/hello_leak"
expect 0
sed -i 's/"exe": "[^"]*"/"exe": "hello_leak"/' "$tmp/out"
truth --mode exact --profiles 1
finish
