#!/usr/bin/env bash
# Coroutines on 16 KiB stacks from malloc.
. "$(dirname "$0")/lib.sh"
both "$programs/coroutines"
finish
