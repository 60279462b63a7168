#!/usr/bin/env python3
"""What the pprof tool makes of our files: the same stacks with the same values, totals, and the same table.

    compare_pprof_tool.py FILE.pb.gz TOOL...      TOOL: pprof, or `go tool pprof`
"""
import collections
import os
import re
import subprocess
import sys
import tempfile

import read_pprof

ROW = re.compile(r"^\s*(-?\d+)B?\s+\S+%\s+\S+%\s+(-?\d+)B?\s+\S+%\s{2}(.*?)( \((?:partial-)?inline\))?$")


def stacks_of(pprof):
    out = collections.Counter()
    for sample in pprof.samples:
        stack = tuple((function.name, function.full, function.file, line, address)
                      for function, line, address, _ in read_pprof.frames_of(pprof, sample))
        for index, value in enumerate(sample.values):
            out[sample.labels, stack, index] += value
    return +out


def run(tool, *words):
    got = subprocess.run([*tool, "-symbolize=none", *words], capture_output=True, text=True)
    if got.returncode != 0:
        sys.exit(f"{' '.join(words)}: status {got.returncode}: {got.stderr[-400:]}")
    return got.stdout


def table_of(pprof, index):
    """name -> [flat, cum] as the tool defines them: a name counts once in each stack."""
    out = collections.defaultdict(lambda: [0, 0])
    for sample in pprof.samples:
        names = [function.name for function, *_ in read_pprof.frames_of(pprof, sample)]
        out[names[0]][0] += sample.values[index]
        for name in set(names):
            out[name][1] += sample.values[index]
    return {name: entry for name, entry in out.items() if any(entry)}


def main():
    path, tool = sys.argv[1], sys.argv[2:]
    ours = read_pprof.read(path)
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        again = os.path.join(folder, "again.pb.gz")
        run(tool, "-proto", f"-output={again}", path)
        theirs = read_pprof.read(again)
    if stacks_of(theirs) != stacks_of(ours):
        wrong.append("-proto: other stacks or values")
    if (theirs.types, theirs.period, theirs.period_type, theirs.time) != (ours.types, ours.period, ours.period_type, ours.time):
        wrong.append("-proto: other types, period or time")
    sums = [sum(column) for column in zip(*(sample.values for sample in ours.samples))]
    raw = [[int(word) for word in line.split(":")[0].split()] for line in run(tool, "-raw", path).split("Locations")[0].splitlines()
           if re.match(r"^\s*-?\d+(\s+-?\d+){3}:", line)]
    if [sum(column) for column in zip(*raw)] != sums:
        wrong.append("-raw: other totals")
    for index, (kind, unit) in enumerate(ours.types):
        text = run(tool, "-top", f"-sample_index={kind}", "-unit=bytes" if unit == "bytes" else "-unit=count", "-nodecount=100000000",
                   "-nodefraction=0", "-edgefraction=0", path)
        rows = {}
        for row in filter(None, map(ROW.match, text.splitlines())):
            rows[row[3]] = [int(row[1]), int(row[2])]
        if rows != table_of(ours, index):
            differing = [name for name, entry in table_of(ours, index).items() if rows.get(name) != entry]
            wrong.append(f"-top {kind}: {len(differing)} rows differ, as {differing[:3]}")
    for what in wrong:
        print(what)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
