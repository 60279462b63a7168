#!/usr/bin/env bash
# libc allocates under its own locks (atexit, setenv, tzset, pthread_getattr_np, fopen), in two threads: nothing hangs, the
# program's output is its own, and what was allocated is at the function that called.
. "$(dirname "$0")/lib.sh"
same_as_alone 8000 "$programs/libc_locks"
profile exact "$programs/libc_locks"
# 4,000 handlers, 32 to a block; 4,000 values; 4,000 streams.
for least in by_atexit=100 by_setenv=4000 by_tzset=100 by_getattr=400 by_fopen=4000; do
  seen=$(get "sum(value(s, 'allocations') for s in sites_with(profiles[0], '${least%=*}'))")
  [ "$seen" -ge "${least#*=}" ] || fail "${least%=*}: $seen allocations, at least ${least#*=} are made"
done
finish
