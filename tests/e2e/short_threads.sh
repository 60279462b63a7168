#!/usr/bin/env bash
# 100,000 threads of one leak and one churn each: nothing that a thread counted goes with it.
. "$(dirname "$0")/lib.sh"
truth_options="--unknown-frees 0"
limit=110
profile exact "$programs/short_threads" 100000
expect 0
truth --mode exact
profile bytes "$programs/short_threads" 20000
expect 0
truth --mode bytes
finish
