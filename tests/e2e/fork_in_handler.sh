#!/usr/bin/env bash
# fork inside a handler that interrupted a hook: children never write in the parent's profile.
. "$(dirname "$0")/lib.sh"
# Half of the children are made by _Fork, of which no handler tells: only a few regions lie ready for such, and a child that
# finds none is counted.
truth_options="--profiles-or-lost 51 --allow-loss child-not-recorded --allow-loss child-events"
both "$programs/fork_hostile_reentrant" handler
finish
