#!/usr/bin/env python3
"""What the pprof tool makes of our files: the same stacks with the same values, totals, and the same table.

    compare_pprof_tool.py FILE.pb.gz FILE.folded REPORT.json MEASURE TOOL...      TOOL: pprof, or `go tool pprof`

MEASURE: live, peak or calls, by which both files were written. Prints its totals, and what is wrong.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import compare_exports
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


def traces_of(text):
    """What -traces prints, as folded stacks: a rule, labels, the value with the leaf, and its callers below."""
    out = collections.Counter()
    for trace in text.split("-----------+")[1:]:
        labels, value, names = {}, None, []
        for line in trace.splitlines()[1:]:
            left, right = line[:10].strip(), line[13:]
            if value is None and re.fullmatch(r"\s*\w+:", line[:11]):
                labels[line[:11].strip()[:-1]] = line[11:].strip()
                continue
            if value is None:
                value, right = re.match(r"\s*(\d+)B?   (.*)$", line).groups()
            elif left:
                sys.exit(f"-traces: {line!r}")
            names.append(compare_exports.safe(re.sub(r" \(inline\)$", "", right)))
        root = [compare_exports.safe(f"{labels['program']} ({labels['pid']})")] if "pid" in labels else []
        if value is not None:
            out[";".join(root + names[::-1])] += int(value)
    return +out


def check_traces(tool, path, folded_path, report_path, measure, wrong):
    kind = {"calls": "alloc_objects"}.get(measure, "inuse_space")
    unit = "count" if measure == "calls" else "bytes"
    traces = traces_of(run(tool, "-traces", "-functions", f"-sample_index={kind}", f"-unit={unit}", path))
    folded = compare_exports.folded_of(compare_exports.pathlib.Path(folded_path))
    if traces != folded:
        wrong.append(f"-traces: {len(traces)} stacks of {sum(traces.values())}, the folded file has {len(folded)} of {sum(folded.values())}; "
                     f"{list((traces - folded).items())[:2]} {list((folded - traces).items())[:2]}")
    profiles = json.load(open(report_path, encoding="utf-8"))["profiles"]
    total = sum(compare_exports.value(profile["totals"][compare_exports.MEASURES[measure]]) for profile in profiles)
    if sum(traces.values()) != total:
        wrong.append(f"-traces: {sum(traces.values())} in all, the report has {total}")
    print(f"{measure}: {len(folded)} stacks; {sum(traces.values())} by the tool, {sum(folded.values())} folded, {total} by the report")


def main():
    path, folded_path, report_path, measure, tool = *sys.argv[1:5], sys.argv[5:]
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
    values_of_all = r"^\s*-?\d+" + r"\s+-?\d+" * (len(ours.types) - 1) + ":"
    raw = [[int(word) for word in line.split(":")[0].split()] for line in run(tool, "-raw", path).split("Locations")[0].splitlines()
           if re.match(values_of_all, line)]
    if [sum(column) for column in zip(*raw)] != sums:
        wrong.append("-raw: other totals")
    for index, (kind, unit) in enumerate(ours.types):
        if measure == "peak" and not kind.startswith("inuse"):
            continue  # the same as in the file of what is live
        text = run(tool, "-top", f"-sample_index={kind}", "-unit=bytes" if unit == "bytes" else "-unit=count", "-nodecount=100000000",
                   "-nodefraction=0", "-edgefraction=0", path)
        rows = {}
        for row in filter(None, map(ROW.match, text.splitlines())):
            rows[row[3]] = [int(row[1]), int(row[2])]
        if rows != table_of(ours, index):
            differing = [name for name, entry in table_of(ours, index).items() if rows.get(name) != entry]
            wrong.append(f"-top {kind}: {len(differing)} rows differ, as {differing[:3]}")
    check_traces(tool, path, folded_path, report_path, measure, wrong)
    for what in wrong:
        print(what)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
