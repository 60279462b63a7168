#!/usr/bin/env bash
# What a process can see of itself is as without us, at its start and after many events: descriptors, threads, keys, signal
# handlers and masks, timers, limits, directory, capabilities. Under `run`, and for a program that a profiled one executes.
. "$(dirname "$0")/lib.sh"
same_as_alone 50000 "$programs/unchanged_process"
grep -q '^descriptors' "$tmp/out" && grep -q '^keys' "$tmp/out" || fail "nothing was compared: $(cat "$tmp/out")"
same_as_alone 50000 sh -c "'$programs/unchanged_process'; true"
finish
