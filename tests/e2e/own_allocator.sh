#!/usr/bin/env bash
# Allocators that bring their own operator new and delete, linked and preloaded: every form counts once, at its caller, in
# a library that is loaded later too; deletes are no unknown frees.
. "$(dirname "$0")/lib.sh"
late=$programs/liblate_new.so
tried=0
# The loader then names the extent of single segments, none of which but the first holds the program headers.
c++ -g -O1 -w -std=c++17 -fno-builtin -D_GNU_SOURCE -no-pie -fno-pie -Wl,-z,now,-z,max-page-size=0x200000 -o "$tmp/with_holes" "$here/../programs/new_delete.cc" 2>/dev/null ||
  echo "not tried: c++ cannot build an executable with holes between its segments"
check() {  # WORDS PROGRAM...
  local words=$1; shift
  [ "$status" = 0 ] || fail "$words: status $status: $(tail -c 300 "$tmp/err")"
  report "$HEAPTALLY_DIR"/*
  truth "${@}"
  [ "$(get "[note for p in profiles for note in p['notes'] if 'operator new' in note]")" = "[]" ] || fail "$words: said to miss operator new"
  [ "$failed" = 0 ] || { echo "with $words"; finish; }
}
for allocator in jemalloc.so.2 tcmalloc_minimal.so.4 tcmalloc.so.4 mimalloc.so.2; do
  path=$(ldconfig -p | awk -v l="lib$allocator" '$1 == l {print $NF; exit}')
  [ "$path" ] || { echo "not installed: lib$allocator"; continue; }
  stem=own_${allocator%%.so*}
  if [ -x "$programs/${stem}_lazy" ]; then
    tried=1
    rm -f "$HEAPTALLY_DIR"/*
    preload mode=exact "$programs/${stem}_lazy" "$late" 200
    check "${stem}_lazy" --mode exact --unknown-frees 0
    rm -f "$HEAPTALLY_DIR"/*
    preload mode=bytes "$programs/${stem}_now" "$late" 20000
    check "${stem}_now, sampled" --mode bytes
  fi
  [ $allocator != mimalloc.so.2 ] || continue   # aborts by itself where new_delete wants a bad_alloc
  tried=1
  rm -f "$HEAPTALLY_DIR"/*
  then_preload=$path preload mode=exact "$programs/new_delete"
  check "lib$allocator preloaded" --mode exact
  [ -x "$tmp/with_holes" ] || continue
  rm -f "$HEAPTALLY_DIR"/*
  then_preload=$path preload mode=exact "$tmp/with_holes"
  sed -i 's/"exe": "[^"]*"/"exe": "with_holes"/' "$tmp/out"
  check "lib$allocator, an executable with holes between its segments" --mode exact --unknown-frees 0 --allow-loss stack-cut-no-rule
done
[ "$tried" = 1 ] || skip "no allocator is installed as a library"
finish
