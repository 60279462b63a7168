#!/usr/bin/env bash
# Allocations in destructors of a thread, in all rounds.
. "$(dirname "$0")/lib.sh"
both "$programs/tls_destructors"
finish
