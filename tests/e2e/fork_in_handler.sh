#!/usr/bin/env bash
# fork inside a handler that interrupted a hook: children never write in the parent's profile.
. "$(dirname "$0")/lib.sh"
truth_options="--profiles 51"
both "$programs/fork_hostile_reentrant" handler
finish
