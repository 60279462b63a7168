#!/usr/bin/env bash
# Limits that the program lowers after start never kill it, and numbers stay right or the loss is said.
. "$(dirname "$0")/lib.sh"
for which in as data fsize; do
  profile exact "$programs/rlimits" $which
  expect 0
  truth --mode exact
done
finish
