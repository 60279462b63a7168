#!/usr/bin/env bash
# Allocations in IFUNC resolvers, .preinit_array and constructors, in a program that is no PIE.
. "$(dirname "$0")/lib.sh"
profile exact "$programs/early_calls"
expect 0
truth --mode exact --unknown-frees 2   # two of the resolver's
# The resolver's seven blocks, from before a stack could be taken.
[ "$(get 'profiles[0]["unattributed"]')" = "{'objects': 7, 'bytes': 2000}" ] ||
  fail "unattributed is $(get 'profiles[0]["unattributed"]'), not 7 objects of 2000 bytes"
finish
