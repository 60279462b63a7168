#!/usr/bin/env bash
# A clone_vm child allocates in the parent's heap: booked there.
. "$(dirname "$0")/lib.sh"
truth_options="--profiles 1"
both "$programs/clone_kinds" clone_vm
finish
