#!/usr/bin/env bash
# rdtsc becomes forbidden in the middle of the run.
. "$(dirname "$0")/lib.sh"
both "$programs/tsc_forbidden"
finish
