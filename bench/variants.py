"""Ways to run a program: alone, with a forwarding interposer, with heaptally. peers.py has the other profilers.

A variant turns (command, environment) into what is really run.
"""
import os
import shutil
import subprocess


class Variant:
    """One way to run a program.

    wraps        the command starts the program as its child, so the program's own figures must be watched for
    base         name of the variant that its ratios are relative to
    slow         so slow that three rounds must do
    only         names of the workloads that it is for; empty: all
    report       (command, scratch) -> the command that makes a report of what the run wrote, or None
    """

    def __init__(self, name, what, wrap=None, environment=None, wraps=False, base="none", slow=False, only=(), report=None):
        self.name, self.what, self.wraps, self.base, self.slow, self.only = name, what, wraps, base, slow, only
        self.wrap = wrap or (lambda command, scratch: command)
        self.environment = environment or (lambda scratch: {})
        self.report = report or (lambda command, scratch: None)

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

    def report(_command, scratch):
        return [tool, "report", os.path.join(outputs(scratch), "capture")]
    return Variant(f"run-{mode}", f"heaptally run --mode {mode}: with the capture and its report", wrap, wraps=True,
                   report=report)


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
    from peers import find_peers
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
    peers, absent = find_peers(build)
    return found + peers, missing + absent
