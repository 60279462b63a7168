#!/usr/bin/env bash
# kill -9 at 50 random moments, bytes mode, small blocks and tables up to 1 MiB.
. "$(dirname "$0")/lib.sh"
RANDOM=622
kill_rounds bytes small 50
finish
