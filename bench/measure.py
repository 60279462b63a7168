"""Runs one command and says what it cost: the program itself, and everything that was started with it."""
import os
import re
import resource
import subprocess
import threading
import time

TICKS = os.sysconf("SC_CLK_TCK")


class Failure(Exception):
    """The command did not do its work; the text says how."""


class Measurement:
    MEASURES = ("wall", "self", "all", "rss")
    # Of a profiler's own work: bytes that the run wrote; seconds from the program's end to a report on the screen.
    PRODUCTS = ("written", "report")

    def __init__(self, wall, self_cpu, all_cpu, rss_kib, output="", after=0.0):
        """`after`: seconds between the program's end and its profiler's."""
        self.wall, self.all, self.rss = wall, all_cpu, rss_kib
        setattr(self, "self", self_cpu)
        loop = re.search(r"events=(\d+) bytes=\d+ loop_wall=([\d.]+) loop_cpu=([\d.]+)", output)
        self.events = int(loop.group(1)) if loop else 0
        self.loop_cpu = float(loop.group(3)) if loop else 0.0
        self.after, self.written, self.report = after, None, None

    def as_dict(self):
        return {name: getattr(self, name) for name in self.MEASURES + self.PRODUCTS + ("events", "loop_cpu")}


class ProgramWatch(threading.Thread):
    """Follows the program itself: its peak RSS, and its CPU time so far where a profiler's script is its parent.

    Reads /proc a hundred times a second, so the end of its CPU time is known to a hundredth of a second. (RUSAGE's
    ru_maxrss would do for RSS, but it begins with what this process had before exec.)
    """

    def __init__(self, started, wrapped_name):
        super().__init__(daemon=True)
        self.started, self.wrapped, self.done = started, wrapped_name, False
        self.cpu, self.rss, self.last_seen = None, None, None

    def find(self):
        try:
            with open(f"/proc/{self.started}/task/{self.started}/children", encoding="ascii") as file:
                children = file.read().split()
        except OSError:
            return None
        for child in children:
            try:
                if os.path.basename(os.readlink(f"/proc/{child}/exe")) == self.wrapped:
                    return child
            except OSError:
                continue
        return None

    def run(self):
        found = None if self.wrapped else self.started
        while not self.done:
            found = found or self.find()
            if found:
                self.look(found)
            time.sleep(0.01)

    def look(self, pid):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            self.cpu = (int(fields[11]) + int(fields[12])) / TICKS
            if fields[0] not in "ZX":
                self.last_seen = time.monotonic()
            with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
                peak = re.search(r"VmHWM:\s+(\d+)", file.read())
            if peak:
                self.rss = int(peak.group(1))
        except (OSError, IndexError):
            pass


def limits(address_space):
    def apply():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if address_space:
            resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    return apply


def start(command, environment, address_space=0, **streams):
    return subprocess.Popen(command, env=environment, preexec_fn=limits(address_space), start_new_session=True,
                            **streams)


def kill_group(process):
    """Ends what we started, and nothing else: the child leads a session of its own."""
    try:
        os.killpg(process.pid, 9)
    except OSError:
        pass


def run_command(command, environment, program=None, stdin=None, timeout=600, address_space=0):
    """Runs it to its end. `program`: name of the profiled program's file when `command` is a wrapper around it.

    RUSAGE of the waited-for child holds its own waited-for descendants, so it is the CPU time of everything.
    """
    with open(stdin or os.devnull, "rb") as source:
        began = time.monotonic()
        process = start(command, environment, address_space, stdin=source, stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE)
        watch = ProgramWatch(process.pid, program)
        watch.start()
        output, complaint = [], []
        readers = [threading.Thread(target=lambda to, stream: to.append(stream.read()), args=pair, daemon=True)
                   for pair in ((output, process.stdout), (complaint, process.stderr))]
        for reader in readers:
            reader.start()
        alarm = threading.Timer(timeout, kill_group, (process,))
        alarm.start()
        _, status, usage = os.wait4(process.pid, 0)
        ended = time.monotonic()
        wall = ended - began
        late = not alarm.is_alive()
        alarm.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        for reader in readers:
            reader.join(5)
    watch.done = True
    watch.join()
    if late:
        raise Failure(f"still running after {timeout} s")
    if process.returncode != 0:
        last = (complaint or [b""])[0].decode(errors="replace").strip().splitlines()[-1:]
        raise Failure(f"exit status {process.returncode}" + (": " + last[0][:120] if last else ""))
    everything = usage.ru_utime + usage.ru_stime
    own = watch.cpu if program else everything
    after = ended - watch.last_seen if program and watch.last_seen else 0.0
    return Measurement(wall, own, everything, watch.rss, (output or [b""])[0].decode(errors="replace"), after)


def bytes_under(*directories):
    """Bytes on disk (sparse files count what they hold) of the files in these directories."""
    total = 0
    for directory in directories:
        for place, _, names in os.walk(directory):
            for name in names:
                total += os.lstat(os.path.join(place, name)).st_blocks * 512
    return total


def seconds_of(command, timeout=120):
    """Wall time of a command that makes a report; None if it fails or takes longer."""
    began = time.monotonic()
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return time.monotonic() - began if done.returncode == 0 and done.stdout else None
