"""Ways to run a program: alone, with a forwarding interposer, with heaptally, with other profilers.

A variant turns (command, environment) into what is really run. HEAPTRACK=PATH names another heaptrack.
"""
import os
import shutil
import subprocess


class Variant:
    """`wraps`: the command starts the program as its child, so the program's own figures must be watched for."""

    def __init__(self, name, what, wrap=None, environment=None, wraps=False):
        self.name, self.what, self.wraps = name, what, wraps
        self.wrap = wrap or (lambda command, scratch: command)
        self.environment = environment or (lambda scratch: {})

    def clean(self, scratch):
        for directory in (segments(scratch), outputs(scratch)):
            shutil.rmtree(directory, ignore_errors=True)

    def prepare(self, scratch):
        self.clean(scratch)
        os.mkdir(segments(scratch), 0o700)
        os.mkdir(outputs(scratch), 0o700)


def segments(scratch):
    return os.path.join(scratch, "segments")


def outputs(scratch):
    return os.path.join(scratch, "outputs")


def preloaded(name, what, library, mode=None):
    def environment(scratch):
        settings = {"LD_PRELOAD": library}
        if mode:
            settings["HEAPTALLY"] = f"mode={mode},dir={segments(scratch)}"
        return settings
    return Variant(name, what, environment=environment)


def runner(tool, mode):
    def wrap(command, scratch):
        capture = os.path.join(outputs(scratch), "capture")
        return [tool, "run", "--mode", mode, "--dir", segments(scratch), "-o", capture, "--", *command]
    return Variant(f"run-{mode}", f"heaptally run --mode {mode}: with the capture and its report", wrap, wraps=True)


def heaptrack(tool, name, options, what):
    def wrap(command, scratch):
        return [tool, *options, "-o", os.path.join(outputs(scratch), "trace"), *command]
    return Variant(name, what, wrap, wraps=True)


def heaptrack_version(tool):
    try:
        asked = subprocess.run([tool, "--version"], capture_output=True, text=True, timeout=20, check=False)
        return asked.stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def tool_runs(tool, scratch):
    """True iff `heaptally run` can run /bin/true: a tool that is being built may not be able to yet."""
    variant = runner(tool, "exact")
    variant.prepare(scratch)
    try:
        command = variant.wrap(["/bin/true"], scratch)
        return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
    finally:
        variant.clean(scratch)


def find_variants(build, scratch):
    """([Variant], [(name, reason)]): those that can run here, and those that can't."""
    found = [Variant("none", "the program alone"), Variant("again", "the program alone, once more: noise")]
    missing = []
    forward = os.path.join(build, "bench", "libforwarding_interposer.so")
    if os.path.exists(forward):
        found.append(preloaded("forward", "forwards every call, does nothing", os.path.abspath(forward)))
    else:
        missing.append(("forward", f"no {forward}: ninja -C {build} bench_workloads"))
    agent = os.path.join(build, "lib", "libheaptally.so")
    if os.path.exists(agent):
        # A copy: a build that goes on meanwhile must not change what is measured.
        copy = shutil.copy(agent, os.path.join(scratch, "libheaptally.so"))
        for mode in ("bytes", "exact"):
            found.append(preloaded(mode, f"heaptally's agent, mode {mode}", copy, mode))
    else:
        missing.append(("bytes, exact", f"no {agent}"))
    tool = os.path.join(os.path.abspath(build), "bin", "heaptally")
    if os.path.exists(tool) and tool_runs(tool, scratch):
        found += [runner(tool, "bytes"), runner(tool, "exact")]
    else:
        missing.append(("run-bytes, run-exact", f"{tool} does not run /bin/true yet"))
    peer = os.environ.get("HEAPTRACK") or shutil.which("heaptrack")
    version = heaptrack_version(peer) if peer else ""
    if version:
        found.append(heaptrack(peer, "heaptrack", [], version))
        found.append(heaptrack(peer, "heaptrack-raw", ["--raw"], version + " --raw: its interpreter is not in the run"))
    else:
        missing.append(("heaptrack", "not installed (apt install heaptrack), or HEAPTRACK names no heaptrack"))
    return found, missing
