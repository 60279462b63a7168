"""Instructions per malloc/free pair, counted by valgrind's callgrind: the same on every run, so one more shows.

Each loop runs with N and with 2N pairs; the difference, divided by N, has no start and no end of the process in it.
"""
import os
import re
import shutil
import subprocess
import sys

# (workload, command, pairs)
LOOPS = [
    ("pair-1", ["pairs", "pair", "1"], 200000),
    ("window-1", ["pairs", "window", "1"], 200000),
    ("W1", ["deep_pairs"], 100000),
]


def count(command, environment, scratch):
    valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={scratch}/callgrind.out"]
    done = subprocess.run(valgrind + command, env=environment, capture_output=True, text=True, timeout=900, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found:
        raise RuntimeError((done.stderr.strip().splitlines() or ["no output"])[-1])
    return int(found.group(1))


def count_instructions(variants, build, scratch):
    if not shutil.which("valgrind"):
        sys.exit("valgrind is not installed (apt install valgrind)")
    for name, command, pairs in LOOPS:
        program = [os.path.join(os.path.abspath(build), "bench", command[0]), *command[1:]]
        alone = None
        for variant in variants:
            if variant.wraps or variant.name == "again":
                continue
            variant.prepare(scratch)
            environment = {**os.environ, **variant.environment(scratch)}
            try:
                counted = [count(program + [str(times * pairs)], environment, scratch) for times in (1, 2)]
            except (RuntimeError, subprocess.TimeoutExpired) as failure:
                print(f"{name:10} {variant.name:10} failed: {failure}")
                continue
            each = (counted[1] - counted[0]) / pairs
            alone = each if variant.name == "none" else alone
            more = f"  +{each - alone:.2f}" if alone is not None and variant.name != "none" else ""
            print(f"{name:10} {variant.name:10} {each:9.2f} instructions a pair{more}", flush=True)
            variant.clean(scratch)
    return 0
