#!/usr/bin/env bash
# malloc is no cancellation point: a pending cancel waits until the program looks.
. "$(dirname "$0")/lib.sh"
both "$programs/cancellation" pending
finish
