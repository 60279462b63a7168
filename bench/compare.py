#!/usr/bin/env python3
"""What heaptally costs, beside other profilers, measured in one run.

    python3 bench/compare.py --build build --rounds 15 [--only W1,cc1plus] [--variants none,again,bytes] [--json FILE]

Every workload runs in rounds; a round runs each variant once, one after another, and the next round begins with the
next variant, so that what else the machine does falls on all of them. All that is said is a ratio within a round:

    wall    elapsed time, of the whole command (for redis: of the same number of requests)
    self    user + system time of the program itself
    all     user + system time of everything that was started: the profiler's own processes too
    rss     largest resident set of the program itself
    written bytes on disk that the profiler left; `report`: seconds from the program's end to a report of them

A figure is the median over the rounds and its 95 % interval by order statistics (which needs six rounds; with fewer it
is the range). `again` is `none` once more: what it differs from 1 is noise. `added, exact/heaptrack` is the median of
what the one adds over the median of what the other adds, with a bootstrap interval. Nothing is said about a variant
that failed, except that and why.

Needs python3 alone; what is not installed (heaptrack, redis, node, ...) is left out and named. Files go to a private
directory under /dev/shm, which is removed.
"""
import argparse
import json
import os
import shutil
import signal
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from measure import Failure, Measurement, run_command          # noqa: E402
from programs import find_workloads                              # noqa: E402
from statistics_of_rounds import added_ratio, median, order_interval, ratios  # noqa: E402
from variants import find_variants                               # noqa: E402

BASE = "none"
SLOW_ROUNDS = 3
# The bars that the project set itself: (variant, measure, most).
BARS = [("bytes", "wall", 1.02), ("bytes", "all", 1.02)]
ADDED_BARS = [("wall", 0.5), ("all", 0.25)]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build", help="build directory (default build)")
    parser.add_argument("--rounds", type=int, default=0, help="rounds (default 15; --quick: 3)")
    parser.add_argument("--quick", action="store_true", help="--scale 0.2 --rounds 3: to see that it runs")
    parser.add_argument("--scale", type=float, default=0, help="how much work a run does (default 1: 0.3 to 3 s alone)")
    parser.add_argument("--only", default="", help="workloads, by name, comma-separated")
    parser.add_argument("--variants", default="", help="variants, by name, comma-separated (none is always run)")
    parser.add_argument("--json", default="", help="write every measurement and every figure to this file")
    parser.add_argument("--list", action="store_true", help="name workloads and variants, and what is missing")
    parser.add_argument("--instructions", action="store_true",
                        help="instead of time: instructions per malloc/free pair, counted by valgrind (no noise)")
    options = parser.parse_args()
    if options.rounds == 0:
        options.rounds = 3 if options.quick else 15
    if options.scale == 0:
        options.scale = 0.2 if options.quick else 1.0
    return options


def chosen(items, names):
    wanted = [name for name in (names or "").split(",") if name]
    unknown = set(wanted) - {item.name for item in items}
    if unknown:
        sys.exit("not known or not installed here: " + ", ".join(sorted(unknown)) + " (--list shows what is)")
    return [item for item in items if not wanted or item.name in wanted]


def with_bases(variants, names):
    """The names with those of the variants that they are compared with; "" stays "" (all)."""
    wanted = [name for name in names.split(",") if name]
    return ",".join([BASE] + [v.base for v in variants if v.name in wanted and v.base != BASE] + wanted) if wanted else ""


def measure_rounds(workload, variants, rounds, scratch):
    """{variant: [Measurement or None for each round]}, {variant: reason of its failure}."""
    results = {variant.name: [] for variant in variants}
    failed = {}
    for number in range(rounds):
        shift = number % len(variants)
        for variant in variants[shift:] + variants[:shift]:
            if variant.name in failed or (variant.slow and number >= SLOW_ROUNDS):
                results[variant.name].append(None)
                continue
            try:
                results[variant.name].append(workload.run(variant, scratch, run_command))
            except Failure as failure:
                failed[variant.name] = str(failure)
                results[variant.name].append(None)
        print(f"  {workload.name}: round {number + 1} of {rounds}", file=sys.stderr)
    return results, failed


def interval(values):
    """{"median", "low", "high", "confidence", "n"} or None."""
    if not values:
        return None
    low, high, confidence = order_interval(values)
    return {"median": median(values), "low": low, "high": high, "confidence": confidence, "n": len(values)}


def bootstrapped(ratio):
    if ratio is None:
        return None
    value, low, high, n = ratio
    return {"median": value, "low": low, "high": high, "confidence": 0.95 if n >= 6 else 0.0, "n": n}


def summarize(workload, variants, results, failed):
    figures = {}
    for variant in variants:
        name, runs = variant.name, results[variant.name]
        base = results[variant.base if variant.base in results else BASE]
        figures[name] = {measure: interval(ratios(runs, base, measure)) for measure in Measurement.MEASURES}
        figures[name]["ns"] = interval([1e9 * run.loop_cpu / run.events for run in runs if run and run.events])
        for product in Measurement.PRODUCTS:
            figures[name][product] = interval([getattr(run, product) for run in runs
                                               if run and getattr(run, product) is not None])
        figures[name]["base"] = variant.base
        figures[name]["failed"] = failed.get(name)
    base = results[BASE]
    added = {}
    for exact in ("exact", "run-exact"):
        for peer in ("heaptrack", "heaptrack-raw"):
            if exact in results and peer in results and not failed.get(peer):
                added[f"{exact}/{peer}"] = {
                    measure: bootstrapped(added_ratio(results[exact], results[peer], base, measure))
                    for measure in ("wall", "all")}
    alone = {measure: interval([getattr(run, measure) for run in base if run]) for measure in Measurement.MEASURES}
    return {"workload": workload.name, "what": workload.what, "real": workload.real, "figures": figures, "added": added,
            "base": alone}


def shown(figure, digits=3):
    if figure is None:
        return "-"
    return f"{figure['median']:.{digits}f} [{figure['low']:.{digits}f}-{figure['high']:.{digits}f}]"


def verdict(figure, most):
    if figure is None:
        return "not measured"
    if figure["confidence"] < 0.95:
        return "undecided (too few rounds)"
    if figure["high"] <= most:
        return "held"
    return "missed" if figure["low"] > most else "undecided"


def print_summary(summary):
    base = summary["base"]
    n = base["wall"]["n"] if base["wall"] else 0
    print(f"\n{summary['workload']}: {summary['what']}")
    if not n:
        print("  the program itself failed: " + str(summary["figures"][BASE]["failed"]))
        return
    wall, cpu, rss = (base[measure]["median"] for measure in ("wall", "self", "rss"))
    print(f"  alone: wall {wall:.3f} s, CPU {cpu:.3f} s, RSS {rss / 1024:.1f} MB; n = {n}")
    print(f"  {'variant':15} {'wall x':24} {'self CPU x':24} {'all CPU x':24} {'RSS x':6} {'written':>9} {'report':>8}  ns a event")
    for name, figure in summary["figures"].items():
        if figure["failed"]:
            print(f"  {name:15} failed: {figure['failed']}")
            continue
        rss = f"{figure['rss']['median']:.2f}" if figure["rss"] else "-"
        ns = f"{figure['ns']['median']:.1f}" if figure["ns"] else ""
        times = " ".join(f"{shown(figure[measure]):24}" for measure in ("wall", "self", "all"))
        written = f"{figure['written']['median'] / 1024:.0f} KiB" if figure["written"] and figure["written"]["median"] else "-"
        report = f"{figure['report']['median']:.2f} s" if figure["report"] else "-"
        print(f"  {name:15} {times} {rss:6} {written:>9} {report:>8}  {ns}")
    for variant, measure, most in BARS:
        if summary["real"] and variant in summary["figures"]:
            print(f"  bar: {variant} {measure} at most {most}: {verdict(summary['figures'][variant][measure], most)}")
    for pair, measures in summary["added"].items():
        for measure, most in ADDED_BARS:
            figure = measures[measure]
            print(f"  added {measure}, {pair}: {shown(figure)}; bar {most}: {verdict(figure, most)}")


def describe_machine(variants):
    model = "unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return {"processor": model, "cpus": os.cpu_count(), "kernel": os.uname().release, "load": os.getloadavg()[0],
            "variants": {variant.name: variant.what for variant in variants}}


def main():
    options = parse_arguments()
    scratch = tempfile.mkdtemp(prefix="heaptally-bench-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        variants, missing = find_variants(options.build, scratch)
        if options.instructions:
            from instructions import count_instructions
            return count_instructions(variants, options.build, scratch)
        workloads, missing_workloads = find_workloads(options.build, scratch, options.scale, options.only)
        missing += missing_workloads
        if options.list:
            for item in workloads + variants:
                print(f"{item.name:16} {item.what}")
        for name, reason in missing:
            print(f"left out: {name}: {reason}", file=sys.stderr)
        if options.list:
            return 0
        workloads = chosen(workloads, options.only)
        variants = chosen(variants, with_bases(variants, options.variants))
        machine = describe_machine(variants)
        print(f"{machine['processor']}, {machine['cpus']} CPUs, Linux {machine['kernel']}, load {machine['load']:.1f}; "
              f"{options.rounds} rounds, scale {options.scale:g}")
        report = {"machine": machine, "rounds": options.rounds, "scale": options.scale, "workloads": []}
        for workload in workloads:
            taken = [variant for variant in variants if workload.takes(variant)]
            results, failed = measure_rounds(workload, taken, options.rounds, scratch)
            summary = summarize(workload, taken, results, failed)
            print_summary(summary)
            sys.stdout.flush()
            summary["runs"] = {name: [run.as_dict() if run else None for run in runs] for name, runs in results.items()}
            report["workloads"].append(summary)
            if options.json:  # after each workload, so that an interrupted run leaves what it has
                with open(options.json, "w", encoding="utf-8") as file:
                    json.dump(report, file, indent=1)
        return 0
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
