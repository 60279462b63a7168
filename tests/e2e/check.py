#!/usr/bin/env python3
"""Compares what a program knows about itself with what the profile says.

  check.py truth REPORT.json OUTPUT [options]   OUTPUT: the program's stdout; each line {"truth": ...} is compared
  check.py rows  REPORT.json FILE [options]     FILE: shared rows of tests/programs/killed.c
  check.py site  REPORT.json FUNCTION FILE LINE ALLOCATIONS ALLOCATED_BYTES [options]
  check.py adds  REPORT.json -                  every exact profile adds up
  check.py get   REPORT.json EXPRESSION         prints a Python expression over `profiles`

A site belongs to the row whose function is nearest to its leaf. In exact mode every count must be equal
(between begun and finished calls where the program cannot know), and the profile must add up: live = allocated - freed
for every site and in sum, the sites' sum is the total, and nothing is lost. In sampled modes the truth must lie within three
times the interval on either side: an honest 95 % interval misses that about once in 10^8.
"""
import argparse
import json
import re
import struct
import sys

EXACT_MEASURES = ["allocations", "allocated_bytes", "frees", "freed_bytes", "reallocs", "live_objects", "live_bytes"]
ADDITIVE = EXACT_MEASURES
SAMPLED_MEASURES = ["allocated_bytes", "freed_bytes", "live_bytes"]
CALL_MEASURES = ["allocations", "frees", "live_objects", "reallocs"]
MEASURES_OF = {"bytes": SAMPLED_MEASURES, "count": CALL_MEASURES, "per-class": SAMPLED_MEASURES + CALL_MEASURES}
MISPLACED = ["stack-reentry", "site-table-full"]  # losses that book events at another site; totals stay right
UNSEEN_UPPER_END = 3.7  # of the period: the upper end of a site without a sample

failures = []


def fail(text):
    failures.append(text)


def plain_name(function):
    """`ns::f(int) [clone .cold]` -> `ns::f`."""
    name = re.sub(r"\(anonymous namespace\)::", "", function or "")
    return re.sub(r"[(\[<.@].*", "", name).strip()


def value(measures, name):
    entry = measures.get(name)
    return None if entry is None else int(entry["v"])


def sites_with(profile, function):
    """All sites with this function in any frame."""
    return [s for s in profile["sites"]
            if s.get("class", "malloc") != "mapped" and any(plain_name(f.get("function")) == function for f in s["frames"])]


def sites_of_rows(profile, functions, mapped=False):
    found = {function: [] for function in functions}
    for site in profile["sites"]:
        names = (plain_name(f.get("function")) for f in site["frames"])
        nearest = next((name for name in names if name in found), None)
        if nearest and (site.get("class", "malloc") == "mapped") == mapped:
            found[nearest].append(site)
    return found


def best_known(profile):
    names = {}
    for site in profile["sites"]:
        for frame in site["frames"][:3]:
            if frame.get("function"):
                names[plain_name(frame["function"])] = names.get(plain_name(frame["function"]), 0) + (value(site, "allocations") or 0)
    return ", ".join(f"{n} ({c})" for n, c in sorted(names.items(), key=lambda item: -item[1])[:12]) or "none at all"


def check_adds_up(profile, where, mapped=False):
    """The sites of one class against its totals: all others, or those of class mapped."""
    sums = dict.fromkeys(ADDITIVE, 0)
    totals = profile["totals_mapped" if mapped else "totals"]
    for site in profile["sites"]:
        if (site.get("class") == "mapped") != mapped:
            continue
        got = {name: value(site, name) for name in ADDITIVE}
        for name, number in got.items():
            sums[name] += number or 0
        if got["live_objects"] != got["allocations"] - got["frees"] or got["live_bytes"] != got["allocated_bytes"] - got["freed_bytes"]:
            fail(f"{where}: site {site['id']} does not add up: {got}")
        if min(got["live_objects"], got["live_bytes"], got["frees"], got["freed_bytes"]) < 0:
            fail(f"{where}: site {site['id']} has a negative count: {got}")
    for name in ADDITIVE:
        if value(totals or {}, name) != sums[name] and (totals or sums[name]):
            fail(f"{where}: totals.{name} is {value(totals or {}, name)}, its sites sum to {sums[name]}")


def truth_of(row, name):
    """(low, high): what the program knows of a measure; they differ by the calls that it had begun when it was killed."""
    maybe = dict(zip(["allocations", "allocated_bytes", "frees", "freed_bytes"], row.get("maybe", [0] * 4)))
    maybe["reallocs"] = maybe["allocations"]
    if not name.startswith("live_"):
        return row[name], row[name] + maybe[name]
    begun, ended = ("allocations", "frees") if name == "live_objects" else ("allocated_bytes", "freed_bytes")
    return row[name] - maybe[ended], row[name] + maybe[begun]


def check_exact(measures, row, where, missing=0, missing_bytes=0):
    """`missing`: events, and their bytes, that may be booked at another site (a loss that was allowed)."""
    for name in EXACT_MEASURES:
        low, high = truth_of(row, name)
        low -= missing_bytes if name.endswith("_bytes") else missing
        if name.startswith("live_"):
            high += missing_bytes if name.endswith("_bytes") else missing
        got = sum(value(m, name) or 0 for m in measures)
        if not low <= got <= high:
            fail(f"{where}: {name} is {got}, the truth is {low if low == high else f'{low} to {high}'}")


def check_sampled(measures, row, profile, where):
    for name in MEASURES_OF[profile["mode"]]:
        # What is said of a site without a sample: of classes sampled alike, the period holds for all of them together.
        period = profile["period_bytes"] or profile["period_calls"] * (12 if profile["mode"] == "per-class" else 1)
        if name in SAMPLED_MEASURES and profile["mode"] == "per-class":
            period *= 4096
        entries = [m[name] for m in measures if m.get(name)]
        got = sum(float(e["v"]) for e in entries)
        # Roots of summed squares, as for independent estimates.
        down = sum((float(e["v"]) - float(e["lo"])) ** 2 for e in entries) ** 0.5
        up = sum((float(e["hi"] if e["hi"] is not None else e["v"]) - float(e["v"])) ** 2 for e in entries) ** 0.5
        up = max(up, UNSEEN_UPPER_END * period)
        low, high = truth_of(row, name)
        if high < got - 3 * down or low > got + 3 * up:
            fail(f"{where}: {name} is {got:.0f} (-{down:.0f} +{up:.0f}), the truth is {low if low == high else f'{low} to {high}'}")
        if low > 40 * period and got == 0:
            fail(f"{where}: {name} is 0, the truth is {low}")


def find_profile(profiles, truth, used):
    """By program and pid; a child whose pid the agent could not ask for is known by its functions."""
    def exe(profile):
        return (profile.get("exe") or "").rsplit("/", 1)[-1]
    for profile in profiles:
        if exe(profile) == truth["exe"] and truth["pid"] in (0, profile.get("pid")) and id(profile) not in used:
            return profile
    for profile in profiles:
        if not profile.get("pid") and id(profile) not in used and sites_with(profile, truth["truth"][0]["function"]):
            return profile
    return None


def check_profile(profile, truth, options):
    where = f"{truth['exe']} (pid {truth['pid']})"
    exact = profile["mode"] == "exact" or options.mapped  # class mapped is exact in every mode
    if options.mode and profile["mode"] != options.mode:
        fail(f"{where}: mode is {profile['mode']}, expected {options.mode}")
    if options.state and profile["state"] not in options.state.split(","):
        fail(f"{where}: state is {profile['state']}, expected {options.state}")
    for reason, count in profile.get("loss", {}).items():
        if count and reason not in options.allow_loss:
            fail(f"{where}: {count} lost by {reason}")
    if options.unknown_frees is not None and profile["unknown_frees"] != options.unknown_frees:
        fail(f"{where}: {profile['unknown_frees']} unknown frees, expected {options.unknown_frees}")
    if exact:
        check_adds_up(profile, where, options.mapped)
    sites = sites_of_rows(profile, [row["function"] for row in truth["truth"]], options.mapped)
    misplaced = sum(profile.get("loss", {}).get(reason, 0) for reason in MISPLACED)
    for row in truth["truth"]:
        row_where = f"{where}: {row['function']}"
        measures = sites[row["function"]]
        if exact:
            if not measures and row["allocations"]:
                fail(f"{row_where}: no such function in any site; there are {best_known(profile)}")
            check_exact(measures, row, row_where, misplaced, misplaced * options.largest)
        else:
            check_sampled(measures, row, profile, row_where)
    if options.complete:
        total = {n: sum(r[n] for r in truth["truth"]) for n in EXACT_MEASURES}
        total["maybe"] = [sum(counts) for counts in zip(*(r["maybe"] for r in truth["truth"]))]
        if exact:
            check_exact([profile["totals_mapped" if options.mapped else "totals"]], total, f"{where}: totals")
        else:
            check_sampled([profile["totals"]], total, profile, f"{where}: totals")


def truths(path):
    with open(path, errors="replace") as lines:
        found = [json.loads(line) for line in lines if line.startswith('{"pid": ')]
    if not found:
        fail(f"{path}: the program printed no truth")
    return found


def shared_rows(path):
    """struct file_row of tests/programs/killed.c: a name, a pointer that means nothing here, nine counts."""
    keys = ["allocations", "allocated_bytes", "frees", "freed_bytes", "reallocs"]
    rows = []
    with open(path, "rb") as file:
        data = file.read()
    for start in range(0, len(data) - 112, 112):
        name, _, *counts = struct.unpack_from("=32sQ9q", data, start)
        name = name.split(b"\0")[0].decode()
        if not name:
            break
        row = dict(zip(keys, counts), function=name, maybe=counts[5:])
        row["live_objects"] = row["allocations"] - row["frees"]
        row["live_bytes"] = row["allocated_bytes"] - row["freed_bytes"]
        row["reallocs"] = 0  # not kept there
        rows.append(row)
    return rows


def command_truth(profiles, options):
    used = set()
    lost = max((p.get("loss", {}).get("child-not-recorded", 0) for p in profiles), default=0) if options.profiles_or_lost else 0
    if options.profiles_or_lost and profiles[0]["mode"] == "exact" and len(profiles) + lost != options.profiles_or_lost:
        fail(f"{len(profiles)} profiles and {lost} children not recorded, expected {options.profiles_or_lost}")
    for truth in truths(options.subject):
        profile = find_profile(profiles, truth, used)
        if profile is None and lost > 0:
            lost -= 1
            continue
        if profile is None:
            have = [(p.get("exe"), p.get("pid")) for p in profiles]
            fail(f"no profile of {truth['exe']} (pid {truth['pid']}); there are {have}")
            continue
        used.add(id(profile))
        check_profile(profile, truth, options)


def command_rows(profiles, options):
    rows = shared_rows(options.subject)
    if len(profiles) != 1 or not rows:
        fail(f"{len(profiles)} profiles and {len(rows)} rows, expected 1 and some")
        return
    EXACT_MEASURES.remove("reallocs")
    profile = profiles[0]
    check_profile(profile, {"exe": "killed", "pid": profile["pid"], "truth": rows}, options)


def command_site(profiles, options):
    """The site's innermost frame with a known source line in the named file must be this function and line."""
    function, file, line, allocations, allocated = options.more
    found = [s for p in profiles for s in p["sites"] for f in s["frames"]
             if function in (f.get("function") or "") and (f.get("file") or "").rsplit("/", 1)[-1] == file and f.get("line") == int(line)]
    got = {n: sum(value(s, n) for s in {id(s): s for s in found}.values()) for n in ("allocations", "allocated_bytes")}
    if got != {"allocations": int(allocations), "allocated_bytes": int(allocated)}:
        near = sorted({(f.get("function"), f.get("line")) for p in profiles for s in p["sites"] for f in s["frames"]
                       if (f.get("file") or "").rsplit("/", 1)[-1] == file}, key=str)
        fail(f"{function} at {file}:{line}: {got}, the truth is {allocations} allocations of {allocated} bytes; frames in {file}: {near}")


def command_adds(profiles, options):
    for profile in profiles:
        check_adds_up(profile, f"{profile['exe']} (pid {profile['pid']})", options.mapped)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["truth", "rows", "site", "adds", "get"])
    parser.add_argument("report")
    parser.add_argument("subject", help="output, file of rows, or expression")
    parser.add_argument("more", nargs="*")
    parser.add_argument("--mode", choices=["exact", "bytes", "count", "per-class"])
    parser.add_argument("--state", help="allowed states, by comma")
    parser.add_argument("--complete", action="store_true", help="the rows are all that the program allocates: totals are known")
    parser.add_argument("--mapped", action="store_true", help="the rows are of class mapped, which is exact in every mode")
    parser.add_argument("--profiles", type=int, help="number of profiles in the report")
    parser.add_argument("--profiles-or-lost", type=int, help="profiles and children that were counted as not recorded")
    parser.add_argument("--allow-loss", action="append", default=[], metavar="REASON")
    parser.add_argument("--largest", type=int, default=0, help="largest block, bytes: what an event at another site may weigh")
    parser.add_argument("--unknown-frees", type=int)
    options = parser.parse_args()
    try:
        with open(options.report) as file:
            profiles = json.load(file)["profiles"]
    except (OSError, ValueError, KeyError) as error:
        print(f"FAILED: {options.report} is no report: {error}")
        return 1
    if options.command == "get":
        print(eval(options.subject, {"profiles": profiles, "value": value, "sites_with": sites_with}))
        return 0
    if options.profiles is not None and len(profiles) != options.profiles:
        fail(f"{len(profiles)} profiles, expected {options.profiles}: {[(p['exe'], p['pid']) for p in profiles]}")
    if options.command == "site":
        options.more = [options.subject] + options.more
    {"truth": command_truth, "rows": command_rows, "site": command_site, "adds": command_adds}[options.command](profiles, options)
    for text in failures[:40]:
        print("FAILED:", text)
    if len(failures) > 40:
        print(f"FAILED: and {len(failures) - 40} more")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
