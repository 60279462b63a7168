"""Other profilers as variants: heaptrack, jemalloc's and gperftools' own, memray.

A profiler that brings its allocator is compared with the same allocator without the profile (`base`), so that the
allocator's own speed is not booked as the profiler's cost. HEAPTRACK=PATH and MEMRAY=PATH name other builds.
"""
import glob
import os
import shutil
import subprocess

from variants import Variant, outputs

SAMPLE_BYTES = 512 << 10


def newest(pattern):
    found = glob.glob(pattern)
    return max(found, key=os.path.getmtime) if found else None


def library(name):
    """Path of a shared library in the system's folders, or None."""
    for directory in ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/local/lib", "/usr/lib"):
        path = os.path.join(directory, name)
        if os.path.exists(path):
            return path
    return None


def version_of(tool):
    try:
        asked = subprocess.run([tool, "--version"], capture_output=True, text=True, timeout=20, check=False)
        return asked.stdout.strip().splitlines()[0] if asked.stdout.strip() else ""
    except (OSError, subprocess.TimeoutExpired):
        return ""


def heaptrack(tool, name, options, what):
    def wrap(command, scratch):
        return [tool, *options, "-o", os.path.join(outputs(scratch), "trace"), *command]

    def report(_command, scratch):
        trace = newest(os.path.join(outputs(scratch), "trace*"))
        return [shutil.which("heaptrack_print"), trace] if trace and shutil.which("heaptrack_print") else None
    return Variant(name, what, wrap, wraps=True, report=report if not options else None)


def heaptracks():
    tool = os.environ.get("HEAPTRACK") or shutil.which("heaptrack")
    version = version_of(tool) if tool else ""
    if not version:
        return [], [("heaptrack", "not installed (apt install heaptrack), or HEAPTRACK names no heaptrack")]
    return [heaptrack(tool, "heaptrack", [], version),
            heaptrack(tool, "heaptrack-raw", ["--raw"], version + " --raw: its interpreter is not in the run")], []


def jemallocs():
    path, printer = library("libjemalloc.so.2"), shutil.which("jeprof")
    if not path:
        return [], [("jemalloc, jemalloc-prof", "no libjemalloc.so.2 (apt install libjemalloc2)")]

    def environment(scratch):
        settings = f"prof:true,prof_final:true,lg_prof_sample:19,prof_prefix:{outputs(scratch)}/je"
        return {"LD_PRELOAD": path, "MALLOC_CONF": settings}

    def report(command, scratch):
        dump = newest(os.path.join(outputs(scratch), "je*.heap"))
        return [printer, "--text", command[0], dump] if dump and printer else None
    return [Variant("jemalloc", "jemalloc preloaded, no profile", environment=lambda scratch: {"LD_PRELOAD": path}),
            Variant("jemalloc-prof", "its profiler, one sample in 512 KiB", environment=environment, base="jemalloc",
                    report=report)], []


def gperftools(build):
    path, printer = library("libtcmalloc.so.4"), shutil.which("google-pprof")
    if not path:
        return [], [("tcmalloc, tcmalloc-sample, gperftools", "no libtcmalloc.so.4 (apt install libgoogle-perftools4)")]

    def reported(pattern):
        def report(command, scratch):
            dump = newest(os.path.join(outputs(scratch), pattern))
            return [printer, "--text", command[0], dump] if dump and printer else None
        return report
    found = [Variant("tcmalloc", "gperftools' tcmalloc preloaded, no profile",
                     environment=lambda scratch: {"LD_PRELOAD": path}),
             Variant("gperftools", "its heap profiler (HEAPPROFILE): every allocation", base="tcmalloc", slow=True,
                     environment=lambda scratch: {"LD_PRELOAD": path, "HEAPPROFILE": os.path.join(outputs(scratch), "gp")},
                     report=reported("gp*.heap"))]
    dumper = os.path.join(os.path.abspath(build), "bench", "libtcmalloc_sample_dump.so")
    if not os.path.exists(dumper):
        return found, [("tcmalloc-sample", f"no {dumper}: apt install libgoogle-perftools-dev, then build again")]
    found.append(Variant(
        "tcmalloc-sample", "its sampler, one in 512 KiB, written at exit by a library of ours", base="tcmalloc",
        environment=lambda scratch: {"LD_PRELOAD": f"{path} {dumper}", "TCMALLOC_SAMPLE_PARAMETER": str(SAMPLE_BYTES),
                                     "HEAP_SAMPLE_FILE": os.path.join(outputs(scratch), "sample")},
        report=reported("sample*")))
    return found, []


def memray():
    """For CPython alone. MEMRAY=PATH: the `memray` of a virtual environment whose python is the workload's."""
    tool = os.environ.get("MEMRAY") or shutil.which("memray")
    version = version_of(tool) if tool else ""
    if not version:
        return [], [("memray", "not installed (pip install memray), or MEMRAY names no memray")]

    def wrap(command, scratch):
        return [tool, "run", "--native", "-q", "-o", os.path.join(outputs(scratch), "memray.bin"), *command[1:]]

    def report(_command, scratch):
        trace = newest(os.path.join(outputs(scratch), "memray.bin"))
        return [tool, "summary", trace] if trace else None
    return [Variant("memray", version + " run --native", wrap, only=("python",), report=report)], []


def find_peers(build):
    """([Variant], [(name, reason)])"""
    found, missing = [], []
    for variants, absent in (heaptracks(), jemallocs(), gperftools(build), memray()):
        found += variants
        missing += absent
    return found, missing
