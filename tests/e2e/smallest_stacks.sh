#!/usr/bin/env bash
# Threads with the smallest stack that pthreads allows.
. "$(dirname "$0")/lib.sh"
both "$programs/smallest_stacks"
finish
