#!/usr/bin/env bash
# Exceptions through frames that allocate, and out of operator new.
. "$(dirname "$0")/lib.sh"
both "$programs/exceptions"
finish
