#!/usr/bin/env bash
# fork while three threads allocate, 50 times.
. "$(dirname "$0")/lib.sh"
truth_options="--profiles 51"
both "$programs/fork_hostile" threads
finish
