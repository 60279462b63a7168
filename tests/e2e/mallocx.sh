#!/usr/bin/env bash
# jemalloc's mallocx family: sizes asked for, moves and in-place resizing as reallocs, failures as nothing.
. "$(dirname "$0")/lib.sh"
[ -x "$programs/mallocx" ] || skip "libjemalloc.so.2 is not installed"
profile exact "$programs/mallocx"; expect 0; truth --mode exact --unknown-frees 0
profile bytes "$programs/mallocx" 20000; expect 0; truth --mode bytes
finish
