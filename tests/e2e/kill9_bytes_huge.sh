#!/usr/bin/env bash
# kill -9 at 50 random moments, bytes mode, while a table is resized up to 1 GiB.
. "$(dirname "$0")/lib.sh"
RANDOM=907
kill_rounds bytes huge 50
finish
