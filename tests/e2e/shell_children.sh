#!/usr/bin/env bash
# Children that a shell starts: each program of the tree has its profile.
. "$(dirname "$0")/lib.sh"
profile exact sh -c "'$programs/hello_leak' && '$programs/single_thread'"
expect 0
truth --mode exact
finish
