#!/usr/bin/env bash
# 400 frames: the whole stack is kept, so that both roots are told apart.
. "$(dirname "$0")/lib.sh"
both "$programs/deep_recursion" 400
finish
