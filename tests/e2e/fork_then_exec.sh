#!/usr/bin/env bash
# A child that allocates, then execs: two images with one pid, each whole.
. "$(dirname "$0")/lib.sh"
truth_options="--profiles 4"
both "$programs/fork_plain" exec "$programs/single_thread"
finish
