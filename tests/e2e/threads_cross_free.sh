#!/usr/bin/env bash
# Blocks that end in another thread than they began in.
. "$(dirname "$0")/lib.sh"
both "$programs/threads_cross_free"
finish
