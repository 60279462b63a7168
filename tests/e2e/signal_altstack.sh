#!/usr/bin/env bash
# A timer's handler allocates in the middle of hooks, on a small alternate stack: both sides are counted.
. "$(dirname "$0")/lib.sh"
truth_options="--complete --allow-loss stack-reentry --largest 1000"
both "$programs/signal_storm_reentrant" altstack
finish
