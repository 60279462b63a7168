#!/usr/bin/env bash
# Large blocks that are resized in several threads, whose addresses another thread gets at once: nothing is live in the end.
. "$(dirname "$0")/lib.sh"
export MALLOC_MMAP_THRESHOLD_=1000000
profile exact "$programs/realloc_big_threads"
expect 0
truth --mode exact
finish
