#!/usr/bin/env bash
# Blocks of 100 GB.
. "$(dirname "$0")/lib.sh"
both "$programs/huge_blocks_reentrant"
finish
