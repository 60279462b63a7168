#!/usr/bin/env bash
# Threads cancelled in the middle of hooks: the others go on and are counted.
. "$(dirname "$0")/lib.sh"
both "$programs/cancellation_reentrant" async
finish
