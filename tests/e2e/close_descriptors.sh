#!/usr/bin/env bash
# The program closes all descriptors and opens files of its own: they hold its bytes and nothing else.
. "$(dirname "$0")/lib.sh"
both "$programs/close_descriptors" "$tmp"
for i in 0 1 2 3 4 5 6 7; do
  printf "thirty bytes of the program's\n" | cmp -s - "$tmp/own-$i" || fail "own-$i holds $(wc -c <"$tmp/own-$i") bytes, not its 30"
done
finish
