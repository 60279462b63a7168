#!/usr/bin/env bash
# A hook needs at most 2 KiB of its caller's stack beyond what the real function needs: measured on a stack filled with a
# pattern, for sites that are met for the first time and for deep ones, in exact mode and with every second call sampled.
. "$(dirname "$0")/lib.sh"
program=$programs/stack_use
"$program" >"$tmp/alone" || fail "status $? without us"
for settings in mode=exact mode=count,period=2; do
  preload "$settings" "$program"
  expect 0
  while read -r bytes name; do
    alone=$(sed -n "s/^$name \([0-9]*\)\$/\1/p" "$tmp/alone")
    [ -n "$alone" ] || { fail "$name was not measured without us"; continue; }
    [ $((bytes - alone)) -le 2048 ] || fail "$settings: $name uses $bytes bytes of stack, $alone without us"
  done < <(sed -E 's/^(.*) ([0-9]+)$/\2 \1/' "$tmp/out")
  [ "$(wc -l <"$tmp/out")" = "$(wc -l <"$tmp/alone")" ] || fail "$settings: $(cat "$tmp/out")"
done
finish
