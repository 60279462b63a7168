#!/usr/bin/env bash
# Allocations in IFUNC resolvers, .preinit_array and constructors, in a program that is no PIE.
. "$(dirname "$0")/lib.sh"
profile exact "$programs/early_calls"
expect 0
truth --mode exact --unknown-frees 0
finish
