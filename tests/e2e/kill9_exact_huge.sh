#!/usr/bin/env bash
# kill -9 at 50 random moments, exact mode, while a table is resized up to 1 GiB.
. "$(dirname "$0")/lib.sh"
RANDOM=220
kill_rounds exact huge 50
finish
