#!/usr/bin/env bash
# jemalloc, tcmalloc and mimalloc preloaded beside the agent: same truth.
. "$(dirname "$0")/lib.sh"
tried=0
for library in libjemalloc.so.2 libtcmalloc_minimal.so.4 libtcmalloc.so.4 libmimalloc.so.2; do
  path=$(ldconfig -p | awk -v l="$library" '$1 == l {print $NF; exit}')
  [ "$path" ] || { echo "not installed: $library"; continue; }
  tried=1
  for program in single_thread threads_cross_free; do
    rm -f "$HEAPTALLY_DIR"/*
    then_preload=$path preload mode=exact "$programs/$program"
    expect 0
    report "$HEAPTALLY_DIR"/*
    truth --mode exact
  done
done
[ "$tried" = 1 ] || skip "no allocator is installed as a library"
finish
