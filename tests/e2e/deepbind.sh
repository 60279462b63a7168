#!/usr/bin/env bash
# A RTLD_DEEPBIND plugin exchanges blocks with the program, both ways, and keeps some: all of it counts, where it was made.
. "$(dirname "$0")/lib.sh"
truth_options="--unknown-frees 0"
both "$programs/deepbind" "$programs/libexchange.so" plain
both "$programs/deepbind" "$programs/libexchange.so" deep
finish
