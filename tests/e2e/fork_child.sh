#!/usr/bin/env bash
# A child without exec, and a grandchild: each has its own profile; what they inherit is in nobody else's numbers.
. "$(dirname "$0")/lib.sh"
truth_options="--profiles 3"
both "$programs/fork_plain"
finish
