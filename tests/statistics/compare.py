#!/usr/bin/env python3
"""Many sampled runs, end to end, against the truth and against the model.

  compare.py BUILD RUNS [--agent libheaptally.so] [--first-seed N] [--model-runs N]

Runs tests/programs/statistics_sites under the agent with seeds N, N+1, ..., reads every segment by `heaptally report`,
and checks, for each site and for the totals (bytes and calls, ever and live):

1. Coverage. How many of the 95 % intervals held the truth agrees with how often they do in the model (statistics_model:
   the same blocks through the same sampler and estimator, 40,000 times): exact two-sided binomial test, at 0.001 for
   the totals and for the smallest of all p values times their number (so that a right agent fails in 1 of 1,000).
   Independently of the model, no coverage is below 0.94, the peak's included, and that of the totals in bytes is not
   above 0.975 (p < 0.001).
2. No bias. The mean of the estimates of allocated and of live bytes lies within 4 standard errors of the truth; the
   mean of the peak is not above the true peak by more than 3 %.
3. No loss is reported, and the model's plan is what the program does, by the program's own counts.

Seeds are fixed and address layout is not random (where the system allows that), so that one machine always sees the
same runs. Exit status: 0 right, 1 wrong.
"""
import argparse
import ctypes
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

BATCH = 40  # segments in one report
ADDR_NO_RANDOMIZE = 0x0040000
QUANTITIES = ["allocated_bytes", "live_bytes", "allocations", "live_objects"]
SIGNIFICANT = 0.001
MOST_STANDARD_ERRORS = 4
UNSEEN_UPPER_END = 3.7  # of the period: the upper end of a site without a sample, which is not in the report


def log_choose(n, k):
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def probability(n, k, p):
    return math.exp(log_choose(n, k) + k * math.log(p) + (n - k) * math.log1p(-p))


def two_sided(n, k, p):
    """The exact test: all outcomes that are no likelier than this one."""
    this = probability(n, k, p)
    return min(1.0, sum(q for q in (probability(n, i, p) for i in range(n + 1)) if q <= this * (1 + 1e-7)))


def at_most(n, k, p):
    return sum(probability(n, i, p) for i in range(k + 1))


class Runs:
    """What all runs said of one site."""

    def __init__(self, sizes, period):
        self.sizes, self.period = sizes, period
        self.covered = dict.fromkeys(QUANTITIES, 0)
        self.values = {"allocated_bytes": [], "live_bytes": []}

    def true_bytes(self, live):
        return sum(size * (count - (freed if live else 0)) for size, count, freed in self.sizes)

    def variance(self, live):
        """Of one run's estimate of bytes: the sum of s^2 (1-p)/p."""
        return sum((count - (freed if live else 0)) * size * size / math.expm1((size + 1) / self.period)
                   for size, count, freed in self.sizes)

    def true_objects(self, live, floor=0):
        return sum(count - (freed if live else 0) for size, count, freed in self.sizes if size >= floor)

    def add(self, measures):
        for quantity in QUANTITIES:
            live = quantity.startswith("live")
            entry = measures[quantity] if measures else None
            if quantity in self.values:
                low, high = (float(entry["lo"]), float(entry["hi"])) if entry else (0, UNSEEN_UPPER_END * self.period)
                self.covered[quantity] += low <= self.true_bytes(live) <= high
                self.values[quantity].append(float(entry["v"]) if entry else 0.0)
            else:
                low = float(entry["lo"]) if entry else 0
                has_end = entry and entry["hi"] is not None
                high_holds = not has_end or self.true_objects(live, entry["floor"]) <= float(entry["hi"])
                self.covered[quantity] += low <= self.true_objects(live) and high_holds


def site_of(profile, function):
    found = [s for s in profile["sites"] if s["frames"] and s["frames"][0]["function"] == function]
    if len(found) > 1:
        sys.exit(f"FAILED: {len(found)} sites of {function}, there is one")
    return found[0] if found else None


def run_program(program, agent, directory, seed):
    environment = dict(os.environ, LD_PRELOAD=agent, HEAPTALLY=f"mode=bytes,period=65536,seed={seed},dir={directory}")
    return subprocess.run([program], env=environment, stdout=subprocess.PIPE, check=True).stdout


def check_plan(output, sites):
    """The program's own counts are those of the model's plan. Returns the true peak."""
    truth, peak = (json.loads(line) for line in output.splitlines())
    for row in truth["truth"]:
        if row["function"] not in sites:
            continue
        site = sites[row["function"]]
        own = [row[q] for q in QUANTITIES]
        planned = [site.true_bytes(False), site.true_bytes(True), site.true_objects(False), site.true_objects(True)]
        if own != planned:
            sys.exit(f"FAILED: {row['function']} made {own}, the model's plan is {planned}")
    return peak["peak_live_bytes"]


def collect(options, sites, directory):
    """Runs everything. Returns the true peak, the estimated ones, and how many of their intervals held it."""
    program = f"{options.build}/tests/programs/statistics_sites"
    seeds = range(options.first_seed, options.first_seed + options.runs)
    true_peak, peaks, covered = 0, [], 0
    for start in range(0, options.runs, BATCH):
        for seed in seeds[start:start + BATCH]:
            true_peak = check_plan(run_program(program, options.agent, directory, seed), sites)
        segments = [os.path.join(directory, name) for name in sorted(os.listdir(directory))]
        report = subprocess.run([f"{options.build}/bin/heaptally", "report", *segments, "--json", "--full"],
                                stdout=subprocess.PIPE, check=True).stdout
        for profile in json.loads(report)["profiles"]:
            if any(profile["loss"].values()):
                sys.exit(f"FAILED: lost: {profile['loss']}")
            for name, site in sites.items():
                site.add(profile["totals"] if name == "totals" else site_of(profile, name))
            peak = profile["totals"]["peak_live_bytes"]
            peaks.append(float(peak["v"]))
            covered += float(peak["lo"]) <= true_peak <= float(peak["hi"])
        for segment in segments:
            os.unlink(segment)
    if len(peaks) != options.runs:
        sys.exit(f"FAILED: {len(peaks)} profiles of {options.runs} runs")
    return true_peak, peaks, covered


def check_coverage(sites, model, runs):
    failures, smallest, checks = [], (1.0, ""), 0
    print(f"{'site':<20} {'quantity':<16} {'covered':>8} {'model':>8} {'p':>8}")
    for name, site in sites.items():
        for quantity in QUANTITIES:
            covered, expected = site.covered[quantity], model["sites"][name]["covered"][quantity]
            # A coverage that the model never saw fail is known to 1 in its number of runs.
            p = two_sided(runs, covered, min(max(expected, 1e-9), 1 - 1 / model["runs"]))
            checks += 1
            smallest = min(smallest, (p, f"{name}, {quantity}"))
            print(f"{name:<20} {quantity:<16} {covered / runs:8.4f} {expected:8.4f} {p:8.4f}")
            if name == "totals" and p < SIGNIFICANT:
                failures.append(f"totals, {quantity}: covered in {covered} of {runs} runs, model {expected:.4f}, p = {p:.2g}")
            if at_most(runs, covered, 0.94) < SIGNIFICANT:
                failures.append(f"{name}, {quantity}: covered in {covered} of {runs} runs, which is less than 0.94")
            total_bytes = name == "totals" and quantity in site.values
            if total_bytes and 1 - at_most(runs, covered - 1, 0.975) < SIGNIFICANT:
                failures.append(f"{name}, {quantity}: covered in {covered} of {runs} runs, which is more than 0.975")
    print(f"smallest p of {checks}: {smallest[0]:.4g} ({smallest[1]})")
    if smallest[0] * checks < SIGNIFICANT:
        failures.append(f"{smallest[1]}: not as the model (p = {smallest[0]:.2g}, smallest of {checks})")
    return failures


def check_bias(sites, runs):
    failures = []
    print(f"\n{'site':<20} {'quantity':<16} {'truth':>10} {'mean':>12} {'errors':>8}")
    for name, site in sites.items():
        for quantity, values in site.values.items():
            truth, mean = site.true_bytes(quantity == "live_bytes"), sum(values) / runs
            error = math.sqrt(sum((v - mean) ** 2 for v in values) / (runs - 1) / runs)
            # A rare site may not have been seen in any run: the error is no less than the theory's.
            error = max(error, math.sqrt(site.variance(quantity == "live_bytes") / runs))
            errors = (mean - truth) / error if error > 0 else 0.0 if mean == truth else math.inf
            print(f"{name:<20} {quantity:<16} {truth:>10} {mean:12.0f} {errors:+8.2f}")
            if abs(errors) > MOST_STANDARD_ERRORS:
                failures.append(f"{name}, {quantity}: the mean is {mean:.0f}, {errors:+.1f} standard errors from {truth}")
    return failures


def check_peak(true_peak, peaks, covered):
    runs, mean = len(peaks), sum(peaks) / len(peaks)
    print(f"\npeak: truth {true_peak}, mean {mean:.0f} ({mean / true_peak - 1:+.2%}), covered in {covered / runs:.4f}")
    failures = []
    if mean > 1.03 * true_peak:
        failures.append(f"peak: the mean is {mean / true_peak - 1:+.2%} above the truth")
    if at_most(runs, covered, 0.94) < SIGNIFICANT:
        failures.append(f"peak: covered in {covered} of {runs} runs, which is less than 0.94")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("runs", type=int)
    parser.add_argument("--agent", help="default: the build's")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--model-runs", type=int, default=40000)
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.agent = os.path.abspath(options.agent or f"{options.build}/lib/libheaptally.so")
    model = json.loads(subprocess.run([f"{options.build}/bin/statistics_model", str(options.model_runs)],
                                      stdout=subprocess.PIPE, check=True).stdout)
    sites = {name: Runs(entry["sizes"], model["period"]) for name, entry in model["sites"].items()}
    ctypes.CDLL(None).personality(ADDR_NO_RANDOMIZE)  # may be refused: then the runs differ from time to time
    directory = tempfile.mkdtemp(prefix="heaptally-statistics.", dir="/dev/shm")
    try:
        true_peak, peaks, covered = collect(options, sites, directory)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    failures = check_coverage(sites, model, options.runs)
    failures += check_bias(sites, options.runs)
    failures += check_peak(true_peak, peaks, covered)
    for text in failures:
        print("FAILED:", text)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
