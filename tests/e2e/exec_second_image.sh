#!/usr/bin/env bash
# execv to a second image under the same pid: both profiles are whole.
. "$(dirname "$0")/lib.sh"
truth_options="--profiles 2"
both "$programs/exec_second_image" "$programs/single_thread"
finish
