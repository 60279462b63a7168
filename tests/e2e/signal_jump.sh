#!/usr/bin/env bash
# A timer's handler allocates in the middle of hooks, and leaves by siglongjmp: both sides are counted.
. "$(dirname "$0")/lib.sh"
profile exact "$programs/signal_storm_reentrant" jump; expect 0; truth --mode exact --complete --allow-loss stack-reentry --allow-loss mapping-missed --largest 1000
# A handler that interrupts the sampled tally itself is a counted loss, and so is an event that it jumps out of.
profile bytes "$programs/signal_storm_reentrant" jump; expect 0; truth --mode bytes --complete --allow-loss stack-reentry --allow-loss mapping-missed --largest 1000 --allow-loss lock-reentry --allow-loss event-cut-by-death
finish
