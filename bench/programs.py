"""The workloads: small loops that show a cost plainly, and real programs that show whether it matters.

Inputs of the real programs are generated from fixed seeds; nothing is fetched, and nothing depends on where it runs.
"""
import os
import shutil
import subprocess

import generated
from measure import Failure
from products import add_products
from redis_server import RedisWorkload


class Workload:
    """`scale` of the generated input is in the command already. `address_space` bounds every process of a wrapper."""

    def __init__(self, name, what, command, real=False, stdin=None, environment=None, peer_limits=None, raw_peer=False):
        self.name, self.what, self.command, self.real, self.stdin = name, what, command, real, stdin
        self.more_environment = environment or {}
        self.peer_limits = peer_limits or {}
        self.raw_peer = raw_peer

    def takes(self, variant):
        if variant.only and self.name not in variant.only:
            return False
        return variant.name != "heaptrack-raw" or self.raw_peer

    def run(self, variant, scratch, run_command):
        variant.prepare(scratch)
        environment = {**os.environ, **self.more_environment, **variant.environment(scratch)}
        program = os.path.basename(os.path.realpath(self.command[0])) if variant.wraps else None
        limits = self.peer_limits if variant.name.startswith("heaptrack") else {}
        try:
            done = run_command(variant.wrap(self.command, scratch), environment, program, self.stdin, **limits)
            return add_products(done, variant, self.command, scratch)
        finally:
            variant.clean(scratch)


def loops(build, scale):
    """Our own programs, or the reason why there are none."""
    directory = os.path.join(os.path.abspath(build), "bench")

    def loop(name, what, program, *arguments):
        arguments = [str(max(1, int(a * scale))) if isinstance(a, float) else str(a) for a in arguments]
        return Workload(name, what, [os.path.join(directory, program), *arguments])
    return [
        loop("W1", "malloc/free from under 13 frames, 64 places, 10,000 live", "deep_pairs", 6e6),
        loop("W2", "two threads, half of the frees by the other one", "remote_frees", 3e6),
        loop("W3", "std::map<string, vector<string>> that grows and shrinks", "map_churn", 12.0),
        loop("W4", "realloc to 1-64 MB, big buffers, lines that grow", "realloc_growth", 60.0),
        loop("threads", "20,000 short threads", "thread_churn", 20e3),
        loop("pair-1", "malloc, free of 16-512 B, one thread", "pairs", "pair", 1, 20e6),
        loop("pair-2", "malloc, free of 16-512 B, two threads", "pairs", "pair", 2, 10e6),
        loop("window-1", "4,096 live slots of 16-512 B, one thread", "pairs", "window", 1, 20e6),
        loop("window-2", "4,096 live slots of 16-512 B, two threads", "pairs", "window", 2, 10e6),
    ]


def cc1plus_path():
    compiler = shutil.which("g++")
    if not compiler:
        return None
    asked = subprocess.run([compiler, "-print-prog-name=cc1plus"], capture_output=True, text=True, check=False)
    path = asked.stdout.strip()
    return path if os.path.isfile(path) else None


def system_python():
    return "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else shutil.which("python3")


def compiler_workload(scratch, scale):
    source = generated.preprocessed_source(scratch, max(1, int(3 * scale)))
    # heaptrack 1.4 and 1.5 grow without bound on this one: the limit keeps that from taking the machine down.
    return Workload("cc1plus", "the C++ compiler, -O1, on preprocessed STL-heavy source",
                    [cc1plus_path(), "-quiet", "-fpreprocessed", "-O1", "-std=c++17", source, "-o", os.devnull],
                    real=True, peer_limits={"address_space": 6 << 30, "timeout": 300}, raw_peer=True)


def clang_workload(scratch, scale):
    source = generated.preprocessed_source(scratch, max(1, int(3 * scale)), compiler="clang++")
    return Workload("clang", "clang, -O1, in one process, on the same kind of source",
                    [os.path.realpath(shutil.which("clang++")), "-x", "c++-cpp-output", "-O1", "-std=c++17", "-S", source,
                     "-o", os.devnull], real=True, raw_peer=True)


def real_programs(scratch, scale):
    """[(name, what is needed, present, make)]"""
    def script(name, text):
        path = os.path.join(scratch, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def n(count):
        return max(1, int(count * scale))
    git = shutil.which("git")
    return [
        ("cc1plus", "g++", cc1plus_path(), lambda: compiler_workload(scratch, scale)),
        ("clang", "clang++", shutil.which("clang++"), lambda: clang_workload(scratch, scale)),
        ("python", "python3", system_python(), lambda: Workload(
            "python", "CPython: json in a loop, PYTHONMALLOC=malloc",
            [system_python(), script("loop.py", generated.PYTHON), str(n(24))], real=True,
            environment={"PYTHONMALLOC": "malloc"})),
        ("redis", "redis-server", shutil.which("redis-server") and shutil.which("redis-benchmark"),
         lambda: RedisWorkload(n(1000000))),
        ("sqlite", "sqlite3", shutil.which("sqlite3"), lambda: Workload(
            "sqlite", "sqlite3 :memory:, insert, index, join", [shutil.which("sqlite3"), ":memory:"], real=True,
            stdin=script("load.sql", generated.sql(n(150000))))),
        ("git", "git", git, lambda: Workload(
            "git", "git log -p of a generated repository",
            [git, "--no-pager", "-C", generated.repository(scratch, n(1500)), "log", "-p"], real=True,
            environment={"GIT_CONFIG_NOSYSTEM": "1", "HOME": scratch})),
        ("perl", "perl", shutil.which("perl"), lambda: Workload(
            "perl", "perl: hashes, split, sort",
            [shutil.which("perl"), script("loop.pl", generated.PERL), str(n(12))], real=True)),
        ("node", "node", shutil.which("node"), lambda: Workload(
            "node", "node: buffers, maps, JSON",
            [os.path.realpath(shutil.which("node")), script("loop.js", generated.NODE), str(n(40))], real=True)),
    ]


def find_workloads(build, scratch, scale, only):
    """([Workload], [(name, reason)]). Inputs are generated only for those that are wanted."""
    found, missing = [], []
    for workload in loops(build, scale):
        if os.access(workload.command[0], os.X_OK):
            found.append(workload)
        else:
            missing.append((workload.name, f"no {workload.command[0]}: ninja -C {build} bench_workloads"))
    wanted = [name for name in only.split(",") if name]
    for name, needed, present, make in real_programs(scratch, scale):
        if wanted and name not in wanted:
            continue
        if not present:
            missing.append((name, f"not installed: {needed}"))
            continue
        try:
            found.append(make())
        except (Failure, OSError, subprocess.CalledProcessError) as failure:
            missing.append((name, f"its input could not be made: {failure}"))
    return found, missing
