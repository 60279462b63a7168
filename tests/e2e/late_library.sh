#!/usr/bin/env bash
# A library's constructor and destructor: counted before main and after it.
. "$(dirname "$0")/lib.sh"
truth_options="--complete --unknown-frees 0"
both "$programs/late_library"
finish
