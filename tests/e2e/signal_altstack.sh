#!/usr/bin/env bash
# A timer's handler allocates in the middle of hooks, on a small alternate stack: both sides are counted.
. "$(dirname "$0")/lib.sh"
profile exact "$programs/signal_storm_reentrant" altstack; expect 0; truth --mode exact --complete --allow-loss stack-reentry --allow-loss mapping-missed --largest 1000
# A handler that interrupts the sampled tally itself is a counted loss.
profile bytes "$programs/signal_storm_reentrant" altstack; expect 0; truth --mode bytes --complete --allow-loss stack-reentry --allow-loss mapping-missed --largest 1000 --allow-loss lock-reentry
finish
