#!/usr/bin/env python3
"""Markdown tables from what compare.py --json wrote.

    python3 bench/tables.py FILE.json...

One table for each measure: workloads down, variants across, `median [95 % interval]`. Several files are joined by
workload and variant; a later file's figures stand beside, never instead of, an earlier one's.
"""
import json
import sys

ORDER = ["again", "forward", "bytes", "exact", "run-bytes", "run-exact", "heaptrack", "heaptrack-raw", "jemalloc-prof",
         "tcmalloc-sample", "gperftools", "memray"]
RATIOS = [("wall", "Wall time x"), ("all", "CPU time of everything x"), ("self", "CPU time of the program x"),
          ("rss", "Resident memory of the program x")]


def ratio(figure):
    if not figure:
        return ""
    digits = 2 if figure["median"] < 20 else 0
    return f"{figure['median']:.{digits}f} [{figure['low']:.{digits}f}-{figure['high']:.{digits}f}]"


def size(figure):
    if not figure or not figure["median"]:
        return ""
    kib = figure["median"] / 1024
    return f"{kib:.0f} KiB" if kib < 1000 else f"{kib / 1024:.1f} MiB"


def seconds(figure):
    return f"{figure['median']:.2f} s" if figure else ""


def table(title, workloads, names, measure, show):
    print(f"\n**{title}**\n")
    print("| program | " + " | ".join(names) + " |")
    print("|---|" + "---|" * len(names))
    for workload in workloads:
        alone = workload["base"]["wall"]
        label = f"{workload['workload']} ({alone['median']:.2f} s)" if alone else workload["workload"]
        cells = []
        for name in names:
            figures = workload["figures"].get(name)
            cells.append("" if figures is None else "failed" if figures["failed"] else show(figures[measure]))
        if any(cells):
            print(f"| {label} | " + " | ".join(cells) + " |")


def joined(paths):
    workloads, heads = {}, []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        heads.append(f"{report['machine']['processor']}, {report['machine']['cpus']} CPUs, Linux "
                     f"{report['machine']['kernel']}; {report['rounds']} rounds, scale {report['scale']:g}")
        for workload in report["workloads"]:
            known = workloads.setdefault(workload["workload"], workload)
            for name, figures in workload["figures"].items():
                known["figures"].setdefault(name, figures)
    return list(workloads.values()), heads


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    workloads, heads = joined(sys.argv[1:])
    print("\n".join(heads))
    present = [name for name in ORDER if any(name in workload["figures"] for workload in workloads)]
    for measure, title in RATIOS:
        table(title, workloads, present, measure, ratio)
    makers = [name for name in present if name not in ("again", "forward", "bytes", "exact", "heaptrack-raw")]
    table("Written to disk", workloads, makers, "written", size)
    table("From the program's end to a report", workloads, makers, "report", seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
