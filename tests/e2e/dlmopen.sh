#!/usr/bin/env bash
# A library in a namespace of its own, with a libc of its own.
. "$(dirname "$0")/lib.sh"
both "$programs/new_namespace_library" "$programs/libexchange.so"
finish
