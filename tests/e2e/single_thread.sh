#!/usr/bin/env bash
# One thread, nothing else that allocates: every row and the totals, to the allocation and the byte.
. "$(dirname "$0")/lib.sh"
truth_options="--complete --profiles 1 --unknown-frees 0"
both "$programs/single_thread"
finish
