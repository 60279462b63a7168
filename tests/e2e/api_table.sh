#!/usr/bin/env bash
# Every function of the malloc family, each at its caller; with the agent even those that libc lacks exist, and free.
. "$(dirname "$0")/lib.sh"
both "$programs/api_table"
profile exact "$programs/api_table" all   # cfree, free_sized and free_aligned_sized are there
expect 0
truth --mode exact --complete
finish
