#!/usr/bin/env bash
# The program closes all descriptors and opens files of its own: they hold its bytes and nothing else.
. "$(dirname "$0")/lib.sh"
both "$programs/close_descriptors" "$tmp"
for i in 0 1 2 3 4 5 6 7; do
  printf "thirty bytes of the program's\n" | cmp -s - "$tmp/own-$i" || fail "own-$i holds $(wc -c <"$tmp/own-$i") bytes, not its 30"
done
# The standard ones, too: what the program opens gets their numbers, and its truth goes to the file that is number 1.
for settings in exact bytes; do
  rm -f "$tmp"/own-* "$HEAPTALLY_DIR"/*
  preload mode=$settings "$programs/close_descriptors" "$tmp" all
  expect 0
  report "$HEAPTALLY_DIR"/*
  [ ! -s "$tmp/out" ] && [ ! -s "$tmp/err" ] || fail "$settings: something was written to what was closed"
  for i in 0 2 3 4 5 6 7; do
    printf "thirty bytes of the program's\n" | cmp -s - "$tmp/own-$i" || fail "$settings: own-$i holds $(head -c 200 "$tmp/own-$i")"
  done
  [ "$(head -1 "$tmp/own-1")" = "thirty bytes of the program's" ] && [ "$(wc -l <"$tmp/own-1")" = 2 ] || fail "$settings: own-1 holds $(head -c 300 "$tmp/own-1")"
  mv "$tmp/own-1" "$tmp/out"
  truth --mode $settings
done
finish
