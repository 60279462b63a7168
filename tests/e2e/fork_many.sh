#!/usr/bin/env bash
# 300 children: each has its profile, or is counted as not recorded.
. "$(dirname "$0")/lib.sh"
truth_options="--profiles 301"
both "$programs/fork_hostile" many
finish
