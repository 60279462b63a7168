#!/usr/bin/env bash
# A child made by raw SYS_fork: it never writes in its parent's profile, and has its own.
. "$(dirname "$0")/lib.sh"
truth_options="--profiles 2"
both "$programs/clone_kinds" sysfork
finish
