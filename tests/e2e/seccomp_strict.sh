#!/usr/bin/env bash
# Seccomp's strict mode after start: no system call of the agent's, no event lost.
. "$(dirname "$0")/lib.sh"
truth_options="--profiles 1"
both "$programs/seccomp_strict"
finish
