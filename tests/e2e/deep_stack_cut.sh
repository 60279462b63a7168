#!/usr/bin/env bash
# 2,000 frames: cut at 512, marked so, said as a loss of frames only; amounts stay exact.
. "$(dirname "$0")/lib.sh"
profile exact "$programs/deep_recursion" 2000
expect 0
truth --mode exact --allow-loss stack-cut-depth
[ "$(get 'all(s["truncated"] for s in sites_with(profiles[0], "descend"))')" = True ] || fail "the cut stacks are not marked"
[ "$(get 'profiles[0]["loss"]["stack-cut-depth"] > 0')" = True ] || fail "the cut is not in the loss ledger"
finish
