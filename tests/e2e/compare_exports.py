#!/usr/bin/env python3
"""Holds exports to the report, and to each other, stack by stack.

    compare_exports.py REPORT.json FOLDER

REPORT: `report --json` (without --full). FOLDER: live.pb.gz, peak.pb.gz; live, peak, churn, calls and temporary.folded;
all.speedscope.json; all.dhat.json, all of the same capture. Of mode count, where nothing of bytes is known: calls.pb.gz; calls and
temporary.folded; all.speedscope.json. Prints what is wrong, one line each; status 1 if anything is.

Values of the report are rounded site by site, those of exports so that they add up: a stack of N sampled sites may
differ by N, an exact one by nothing. Totals are equal always; and all exports are, stack by stack.
"""
import collections
import functools
import json
import pathlib
import re
import struct
import sys

import read_pprof

MEASURES = {"live": "live_bytes", "peak": "peak_live_bytes", "churn": "allocated_bytes", "calls": "allocations",
            "temporary": "temporary"}
# How the Firefox Profiler takes a frame of DHAT apart.
DHAT_FRAME = re.compile(r"^0x([0-9a-f]+): (.+) \((?:in )?(.+?)(?::(\d+))?(?::(\d+))?\)$", re.I)
wrong = []


def check(holds, what):
    if not holds and len(wrong) < 20:
        wrong.append(what)


def value(entry):
    return int(entry["v"]) if entry else 0


@functools.lru_cache(maxsize=None)
def plain(name):
    """As exports write text: no control characters. JSON has U+FFFD where a byte was no UTF-8."""
    return re.sub("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufffd]", "?", name)


def unnamed(frame):
    module, offset = frame["module"], frame["offset"]
    if module is None:
        return f"0x{frame['address']:x}"
    return f"{module.rsplit('/', 1)[-1]}+0x{offset:x}"


def report_stacks(profiles):
    """(pid, ((function, file, line, address)...) leaf first) -> [sites, {measure: value}]."""
    out = collections.defaultdict(lambda: [0, collections.Counter()])
    for profile in profiles:
        pid = profile["pid"] if len(profiles) > 1 else 0
        for site in profile["sites"]:
            if site["class"] == "mapped":
                continue
            stack = tuple((plain(frame["function"] or unnamed(frame)), plain(frame["file"] or ""), frame["line"] or 0, frame["address"])
                          for frame in site["frames"])
            entry = out[pid, stack]
            entry[0] += 1
            for name in list(MEASURES.values()) + ["live_objects", "peak_live_objects"]:
                entry[1][name] += value(site[name])
    return out


def pprof_stacks(pprof):
    """The same, with the addresses inside of the calls, and the values by sample type."""
    out = {}
    for sample in pprof.samples:
        stack = []
        for function, line, address, mapping in read_pprof.frames_of(pprof, sample):
            if address or mapping:
                stack.append((function.full or function.name, function.file, line, address))
        key = int(dict(sample.labels).get("pid", 0)), tuple(stack)
        entry = out.setdefault(key, [0] * len(pprof.types))
        for index, number in enumerate(sample.values):
            entry[index] += number
    return out


def close_addresses(key):
    """A key in which a return address and the address before it are one. The report has the first, pprof the second."""
    pid, stack = key
    return pid, tuple(frame[:3] for frame in stack)


@functools.lru_cache(maxsize=None)
def load_segments(path):
    """(file offset, ELF address, bytes in the file) of each PT_LOAD of a file; none where it cannot be read."""
    try:
        data = open(path, "rb").read()
    except OSError:
        return ()
    if data[:5] != b"\x7fELF\x02":
        return ()
    table, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
    headers = [struct.unpack_from("<IIQQQQQQ", data, table + size * index) for index in range(count)]
    return tuple((offset, address, stored) for kind, _, offset, address, _, stored, _, _ in headers if kind == 1)


def check_mappings(pprof, profiles, what):
    """A reader that looks into the files finds the ELF addresses that the report has."""
    known = {(frame["module"], frame["offset"]) for profile in profiles for site in profile["sites"] for frame in site["frames"]}
    for location in pprof.locations:
        if not location.mapping:
            continue
        mapping = pprof.mappings[location.mapping - 1]
        in_file = location.address - mapping.start + mapping.offset
        for offset, address, stored in load_segments(mapping.path):
            if offset <= in_file < offset + stored:
                elf_address = in_file - offset + address
                check({(mapping.path, elf_address), (mapping.path, elf_address + 1)} & known,
                      f"{what}: {location.address:#x} is {elf_address:#x} in {mapping.path}, which the report does not have")


def compare_report(report, pprof, what, members, exact):
    merged = collections.defaultdict(lambda: [0, collections.Counter()])
    addresses = collections.defaultdict(set)
    for key, (sites, values) in report.items():
        entry = merged[close_addresses(key)]
        entry[0] += sites
        entry[1].update(values)
        addresses[close_addresses(key)].add(tuple(frame[3] for frame in key[1]))
    ours = collections.defaultdict(lambda: [0] * len(members))
    for key, values in pprof.items():
        entry = ours[close_addresses(key)]
        for index, number in enumerate(values):
            entry[index] += number
        known = addresses.get(close_addresses(key), set())
        check(any(all(theirs - mine[3] in (0, 1) for theirs, mine in zip(stack, key[1])) for stack in known),
              f"{what}: addresses of a stack that the report does not have: {key[1][:2]}")
    for key, (sites, values) in merged.items():
        mine = ours.pop(key, [0] * len(members))
        for index, member in enumerate(members):
            check(abs(mine[index] - values[member]) <= (0 if exact else sites),
                  f"{what}: {member} is {mine[index]}, the report has {values[member]}, at {key[1][:3]}")
    for key in ours:
        check(False, f"{what}: a stack that the report does not have: {key[1][:3]}")


def folded_of(path):
    out = collections.Counter()
    for line in open(path, encoding="utf-8", newline="\n"):
        stack, number = line.rstrip("\n").rsplit(" ", 1)
        check(stack not in out, f"{path.name}: a stack is there twice")
        out[stack] = int(number)
    return out


@functools.lru_cache(maxsize=None)
def safe(name):
    """A frame as folded stacks write it."""
    return name.replace(";", ":").strip(" ") or "?"


def pprof_as_folded(pprof, index, root_of):
    out = collections.Counter()
    for sample in pprof.samples:
        names = [safe(function.name) for function, *_ in read_pprof.frames_of(pprof, sample)]
        labels = dict(sample.labels)
        root = [safe(root_of(labels))] if "pid" in labels else []
        out[";".join(root + names[::-1])] += sample.values[index]
    return +out


def main():
    report = json.load(open(sys.argv[1], encoding="utf-8"))
    folder = pathlib.Path(sys.argv[2])
    profiles = report["profiles"]
    exact = all(profile["mode"] == "exact" for profile in profiles)
    mode = profiles[0]["mode"]
    measures = {name: member for name, member in MEASURES.items() if mode != "count" or name in ("calls", "temporary")}
    totals = {name: sum(value(profile["totals"][member]) for profile in profiles) for name, member in measures.items()}
    for profile in profiles:
        for name in MEASURES.values():
            check((profile["totals"][name] is None) == (name not in measures.values()), f"report: {name} is {profile['totals'][name]}")
    objects = {name: sum(value(profile["totals"][member]) for profile in profiles)
               for name, member in (("live", "live_objects"), ("peak", "peak_live_objects"))}  # of mode count only those that live
    stacks = report_stacks(profiles)

    folded = {}
    for name in measures:
        folded[name] = folded_of(folder / f"{name}.folded")
        check(sum(folded[name].values()) == totals[name], f"folded {name}: {sum(folded[name].values())}, not {totals[name]}")
    check(all(totals[name] > 0 for name in ("churn", "calls") if name in measures), "there is nothing to compare")

    root_of = lambda labels: f"{labels['program']} ({labels['pid']})"
    for name in ("calls",) if mode == "count" else ("live", "peak"):
        pprof = read_pprof.read(folder / f"{name}.pb.gz")
        for rule in read_pprof.broken_rules(pprof, mode=mode):
            check(False, f"{name}.pb.gz: {rule}")
        sums = [sum(column) for column in zip(*(sample.values for sample in pprof.samples))]
        expected = [totals["calls"], totals["churn"], objects[name], totals[name]] if mode != "count" else [totals["calls"], objects["live"]]
        check(sums == expected, f"{name}.pb.gz adds up to {sums}, the report to {expected}")
        members = ["allocations", "allocated_bytes", "live_objects", "live_bytes"]
        if name == "peak":
            members = ["allocations", "allocated_bytes", "peak_live_objects", "peak_live_bytes"]
        if mode == "count":
            members = ["allocations", "live_objects"]
        compare_report(stacks, pprof_stacks(pprof), f"{name}.pb.gz", members, exact)
        check_mappings(pprof, profiles, f"{name}.pb.gz")
        periods = [profile["period_bytes"] or profile["period_calls"] or 1 for profile in profiles]
        check(pprof.period == max(periods), f"{name}.pb.gz: period {pprof.period}")
        check(pprof.time == max(profile["taken_ns"] for profile in profiles), f"{name}.pb.gz: another time")
        check(pprof.mappings[0].path == profiles[0]["exe"], f"{name}.pb.gz: the first mapping is {pprof.mappings[0].path}")
        for index, measure in ((0, "calls"),) if mode == "count" else ((0, "calls"), (1, "churn"), (3, name)):
            check(pprof_as_folded(pprof, index, root_of) == folded[measure], f"{name}.pb.gz and {measure}.folded differ")

    speedscope = json.load(open(folder / "all.speedscope.json", encoding="utf-8"))
    frames = [frame["name"] for frame in speedscope["shared"]["frames"]]
    titles = {"live": "live", "peak": "peak", "churn bytes": "churn", "churn calls": "calls", "temporary": "temporary"}
    seen = set()
    for profile in speedscope["profiles"]:
        name = titles[profile["name"]]
        seen.add(name)
        mine = collections.Counter()
        for sample, weight in zip(profile["samples"], profile["weights"], strict=True):
            mine[";".join(safe(frames[index]) for index in sample)] += weight
        check(mine == folded[name], f"speedscope {name} and {name}.folded differ")
        check(profile["endValue"] == totals[name], f"speedscope {name}: ends at {profile['endValue']}")
    check(seen == {name for name in totals if totals[name]}, f"speedscope has {seen}")

    if mode == "count":
        check(not (folder / "all.dhat.json").exists() or not (folder / "all.dhat.json").stat().st_size, "there is a DHAT file of mode count")
        return report_wrong()
    dhat = json.load(open(folder / "all.dhat.json", encoding="utf-8"))
    names = []
    for text in dhat["ftbl"]:
        match = DHAT_FRAME.match(text)
        check(match or text.startswith("[") or text.endswith(")") or " " not in text, f"DHAT frame {text!r}")
        names.append(match[2] if match else re.sub(r"^0x[0-9A-F]+: ", "", text))
    points = [tuple(point["fs"]) for point in dhat["pps"]]
    check(len(set(points)) == len(points), "DHAT has a stack twice")
    for field, name in (("tb", "churn"), ("tbk", "calls"), ("gb", "peak"), ("eb", "live")):
        mine = collections.Counter()
        for point in dhat["pps"]:
            mine[";".join(safe(names[index]) for index in reversed(point["fs"]))] += point[field]
        check(+mine == folded[name], f"DHAT's {field} and {name}.folded differ")
    check(all(point["mb"] >= max(point["gb"], point["eb"]) for point in dhat["pps"]), "DHAT: a maximum that is none")

    return report_wrong()


def report_wrong():
    for what in wrong:
        print(what)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
