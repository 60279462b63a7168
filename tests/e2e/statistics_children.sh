#!/usr/bin/env bash
# 200 equal children of 2.5 T each, sampled: their numbers of samples are independent (their variance is their mean, within
# 50 %: five standard errors), and the sum of their estimates is the truth within five standard errors, 22 %. So no child
# repeats its parent's or its siblings' draws, and none loses the draw that its fork was in. With a fixed seed, too: that is
# all that tells children apart where the time stamp counter may not be read.
. "$(dirname "$0")/lib.sh"
check() {
  expect 0
  report "$HEAPTALLY_DIR"/*
  found=$(get '[[value(s, "allocated_bytes"), s["allocated_bytes"]["n"]] for p in profiles for s in sites_with(p, "child_blocks")]')
  python3 - "$1" "$found" <<'END' || failed=1
import json, statistics, sys
found = json.loads(sys.argv[2])
samples = [n for _, n in found] + [0] * (200 - len(found))  # a child without a sample has no site
estimate, truth = sum(v for v, _ in found), 200 * 160 * 1024
spread = statistics.variance(samples) / statistics.mean(samples)
if abs(estimate - truth) > 0.22 * truth:
    print(f"FAILED: {sys.argv[1]}: the children's estimates sum to {estimate}, the truth is {truth}")
if not 0.5 < spread < 1.5:
    print(f"FAILED: {sys.argv[1]}: the variance of the numbers of samples is {spread:.2f} of their mean, not 1")
sys.exit(abs(estimate - truth) > 0.22 * truth or not 0.5 < spread < 1.5)
END
  rm -f "$HEAPTALLY_DIR"/*
}
preload mode=bytes,period=65536 "$programs/statistics_children"
check "no seed"
for seed in 1 2 3; do
  preload mode=bytes,period=65536,seed=$seed "$programs/statistics_children"
  check "seed $seed"
done
finish
