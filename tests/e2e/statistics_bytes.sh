#!/usr/bin/env bash
# 100 sampled runs against the truth and against the model: coverage, bias, peak (400: make statistics).
. "$(dirname "$0")/lib.sh"
python3 "$here/../statistics/compare.py" "$build" "${HEAPTALLY_STATISTICS_RUNS:-100}" --model-runs 20000
status=$?
[ "$status" = 0 ] || failed=1
finish
