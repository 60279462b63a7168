#!/usr/bin/env bash
# realloc in all outcomes: in place, moved, failed, of NULL, to zero, overflow.
. "$(dirname "$0")/lib.sh"
truth_options="--unknown-frees 0"
both "$programs/realloc_outcomes"
finish
