#!/usr/bin/env bash
# follow=0: the exec'd image runs without the agent, the first one is whole.
. "$(dirname "$0")/lib.sh"
run_options="--no-follow"
profile exact "$programs/exec_second_image" "$programs/single_thread"
expect 0
sed -i '/single_thread/d' "$tmp/out"
truth --mode exact --profiles 1
finish
