"""redis-server under redis-benchmark: wall is the time of a fixed number of requests, CPU is the server's."""
import os
import shutil
import socket
import subprocess
import time

from measure import TICKS, Failure, Measurement, kill_group, start
from products import add_products


def command_of(connection, *words):
    connection.sendall((" ".join(words) + "\r\n").encode())


def connect(path, process, seconds=30):
    """Waits until the server answers PING."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if process.poll() is not None:
            raise Failure(f"the server ended with status {process.returncode} before it answered")
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(10)
        try:
            connection.connect(path)
            command_of(connection, "PING")
            if connection.recv(64).startswith(b"+PONG"):
                return connection
        except OSError:
            pass
        connection.close()
        time.sleep(0.02)
    raise Failure(f"the server did not answer within {seconds} s")


class RedisWorkload:
    name, real = "redis", True

    def __init__(self, requests):
        self.requests = requests
        self.what = f"redis-server, {requests} each of SET, GET, LPUSH, 20 clients, pipelines of 32"

    def takes(self, variant):
        return variant.name != "heaptrack-raw" and not variant.only

    def run(self, variant, scratch, _run_command):
        variant.prepare(scratch)
        path = os.path.join(scratch, "redis.socket")
        server = [shutil.which("redis-server"), "--port", "0", "--unixsocket", path, "--save", "", "--appendonly", "no",
                  "--dir", scratch]
        process = start(variant.wrap(server, scratch), {**os.environ, **variant.environment(scratch)},
                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            with connect(path, process) as connection:
                pid = server_pid(connection)
                wall = self.ask(path)
                own, rss = read_process(pid)
                command_of(connection, "SHUTDOWN", "NOSAVE")
            began = time.monotonic()
            everything = wait_for(process)
            done = Measurement(wall, own, everything, rss, after=time.monotonic() - began if variant.wraps else 0.0)
            return add_products(done, variant, server, scratch)
        finally:
            kill_group(process)
            variant.clean(scratch)
            if os.path.exists(path):
                os.unlink(path)

    def ask(self, path):
        began = time.monotonic()
        for test in ("set", "get", "lpush"):
            subprocess.run(["redis-benchmark", "-s", path, "-t", test, "-n", str(self.requests), "-r", "100000",
                            "-P", "32", "-c", "20", "-d", "64", "-q"],
                           check=True, timeout=300, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.monotonic() - began


def server_pid(connection):
    command_of(connection, "INFO", "server")
    text = b""
    while b"process_id:" not in text or not text.endswith(b"\r\n"):
        text += connection.recv(65536)
    return int(text.split(b"process_id:")[1].split(b"\r\n")[0])


def read_process(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        rss = next((int(line.split()[1]) for line in file if line.startswith("VmHWM")), None)
    return (int(fields[11]) + int(fields[12])) / TICKS, rss


def wait_for(process, seconds=120):
    """CPU time of the command that we started and of all that it waited for."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage.ru_utime + usage.ru_stime
        time.sleep(0.01)
    raise Failure(f"the command was still running {seconds} s after the server's shutdown")
