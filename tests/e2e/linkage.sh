#!/usr/bin/env bash
# Lazy and immediate binding, no PLT, no PIE, no RELRO: the hooks are reached however the program was linked.
. "$(dirname "$0")/lib.sh"
need gcc
count=0
for flags in "-Wl,-z,lazy" "-Wl,-z,now" "-fno-plt" "-no-pie" "-no-pie -Wl,-z,lazy" "-Wl,-z,norelro"; do
  count=$((count + 1))
  mkdir "$tmp/$count"
  gcc -g -O1 -fno-builtin -D_GNU_SOURCE $flags -o "$tmp/$count/single_thread" "$here/../programs/single_thread.c" -lpthread || fail "gcc $flags"
  profile exact "$tmp/$count/single_thread"
  expect 0
  truth --mode exact --complete
  [ "$failed" = 0 ] || { echo "linked with $flags"; break; }
done
finish
