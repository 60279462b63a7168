#!/usr/bin/env bash
# Failing calls book nothing, and leave errno and out-pointers as without us.
. "$(dirname "$0")/lib.sh"
truth_options="--complete --unknown-frees 0"
both "$programs/failing_calls"
finish
