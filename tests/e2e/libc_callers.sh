#!/usr/bin/env bash
# What libc allocates for a caller (strdup, getline, asprintf) is at that caller.
. "$(dirname "$0")/lib.sh"
both "$programs/libc_callers"
finish
