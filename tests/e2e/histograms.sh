#!/usr/bin/env bash
# Sizes and lifetimes of one place, one class after another: each block is in the class that it belongs to. Exactly in exact
# mode; no other class in the sampled ones.
. "$(dirname "$0")/lib.sh"
need gcc
cat >"$tmp/main.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
__attribute__((noinline)) void *get(size_t bytes) { return malloc(bytes); }
static long now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000 + t.tv_nsec; }
int main(int argc, char **argv) {
  size_t factor = (size_t)atol(argv[1]);
  size_t sizes[] = {3, 100, 100, 200, 400, 1600, 3200, 6400, 100, 200000, 7};
  long waits[] = {300, 3000, 3000, 30000, 300000, 3000};  // us
  void *kept[11];
  for (int i = 0; i < 11; ++i) kept[i] = get(sizes[i] * factor);
  for (int i = 0; i < 11; ++i) printf("size %zu\n", sizes[i] * factor);
  fflush(stdout);
  for (int i = 0; i < 6; ++i) {
    long before = now();
    void *block = get(50 * factor);
    long from = now();
    usleep((unsigned)waits[i]);
    long to = now();
    free(block);
    printf("size %zu\nlife %ld %ld\n", 50 * factor, to - from, now() - before);
  }
  return kept[0] == NULL;
}
C
gcc -g -O1 -w -o "$tmp/prog" "$tmp/main.c" || fail "gcc"
# In mode bytes blocks are far above the period, so that each is a sample.
for mode in exact:1 bytes:100000 per-class:1; do
  case $mode in exact*) run_options= ;; bytes*) run_options="--period 64K" ;; *) run_options="--period 2" ;; esac
  profile "${mode%:*}" "$tmp/prog" "${mode#*:}"
  expect 0
  python3 - "$tmp/report.json" "$tmp/out" "${mode%:*}" <<'END' || failed=1
import json, sys
profile = json.load(open(sys.argv[1]))["profiles"][0]
lines = [line.split() for line in open(sys.argv[2])]
sizes = [int(l[1]) for l in lines if l[0] == "size"]
lives = [(int(l[1]), int(l[2])) for l in lines if l[0] == "life"]
mode = sys.argv[3]
seen_sizes, seen_lives = {}, {}
for site in profile["sites"]:
    if site["class"] != "mapped" and any(f["function"] == "get" for f in site["frames"]):
        for seen, histogram in ((seen_sizes, site["size_histogram"]), (seen_lives, site["lifetime_ns_histogram"])):
            for low, high, count in histogram or []:
                count = count["v"] if isinstance(count, dict) else count
                seen[low, high] = seen.get((low, high), 0) + count
wanted = {}
for size in sizes:
    width = size.bit_length()
    wanted[1 << (width - 1), (1 << width) - 1] = wanted.get((1 << (width - 1), (1 << width) - 1), 0) + 1
bad = []
if mode == "exact":
    if seen_sizes != wanted: bad.append(f"sizes {seen_sizes}, the truth is {wanted}")
elif not seen_sizes or not set(seen_sizes) <= set(wanted):
    bad.append(f"sizes {seen_sizes}: none outside of {sorted(wanted)}")
# A class may hold a lifetime that overlaps what the program measured from outside and inside.
left = dict(seen_lives)
for low, high in sorted(lives):
    fits = [b for b in sorted(left) if left[b] > 0 and b[0] <= high * 1.02 and b[1] >= low * 0.98]
    if fits: left[fits[0]] -= 1
    elif mode == "exact": bad.append(f"no lifetime of {low} to {high} ns in {seen_lives}")
if any(left.values()) and mode == "exact": bad.append(f"lifetimes {seen_lives}, the truth is {lives}: {left} too many")
for b in seen_lives:
    if not any(b[0] <= high * 1.02 and b[1] >= low * 0.98 for low, high in lives): bad.append(f"{mode}: no block lived {b} ns: {lives}")
if bad: sys.exit(f"FAILED: {mode}: " + "; ".join(bad))
END
done
finish
