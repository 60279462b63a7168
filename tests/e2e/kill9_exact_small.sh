#!/usr/bin/env bash
# kill -9 at 50 random moments, exact mode, small blocks and tables up to 1 MiB.
. "$(dirname "$0")/lib.sh"
RANDOM=370
kill_rounds exact small 50
finish
