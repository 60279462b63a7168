#!/usr/bin/env bash
# A timer's handler allocates in the middle of hooks, and leaves by siglongjmp: both sides are counted.
. "$(dirname "$0")/lib.sh"
both "$programs/signal_storm_reentrant" jump
finish
