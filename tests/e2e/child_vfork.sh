#!/usr/bin/env bash
# A vfork child allocates in the parent's heap: booked there.
. "$(dirname "$0")/lib.sh"
truth_options="--profiles 1"
both "$programs/clone_kinds" vfork
finish
