#!/usr/bin/env bash
# posix_spawn: the parent is whole, the spawned program has its own image.
. "$(dirname "$0")/lib.sh"
profile exact "$programs/clone_kinds" spawn
expect 0
truth --mode exact
finish
