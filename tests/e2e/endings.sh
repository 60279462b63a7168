#!/usr/bin/env bash
# However a program ends, its profile is whole, and its exit status or signal is passed on.
. "$(dirname "$0")/lib.sh"
for how in return exit _exit quick_exit; do
  profile exact "$programs/endings" $how
  expect 3
  truth --mode exact --state exited
done
for how in abort sigterm sigsegv; do
  profile bytes "$programs/endings" $how
  [ "$status" -gt 128 ] || fail "$how: status $status"
  truth --mode bytes --state killed
done
for how in abort "no memory" sigsegv; do
  profile exact "$programs/endings" "$how"
  [ "$status" -gt 128 ] || fail "$how: status $status"
  truth --mode exact --state killed
done
killed_is_right=1
profile exact "$programs/endings" sigkill
expect 137
truth --mode exact --state killed
finish
