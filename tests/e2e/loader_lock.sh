#!/usr/bin/env bash
# dl_iterate_phdr, dlopen and malloc in three threads: no deadlock.
. "$(dirname "$0")/lib.sh"
both "$programs/loader_lock" "$programs/libexchange.so"
finish
