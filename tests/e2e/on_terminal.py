#!/usr/bin/env python3
"""on_terminal.py out|err|both COMMAND...: runs COMMAND with these streams on a terminal of 80x24 and writes to stdout what
arrived there (line ends as the program wrote them); the other stream goes to on_terminal.py's own stderr. Exits with
COMMAND's status."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios


def main():
    which, command = sys.argv[1], sys.argv[2:]
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    settings = termios.tcgetattr(slave)
    settings[1] &= ~termios.OPOST
    termios.tcsetattr(slave, termios.TCSANOW, settings)
    child = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=slave if which in ("out", "both") else sys.stderr,
        stderr=slave if which in ("err", "both") else sys.stderr,
    )
    os.close(slave)
    while True:
        try:
            data = os.read(master, 65536)
        except OSError:  # EIO: nobody has the other end open
            break
        if not data:
            break
        sys.stdout.buffer.write(data)
    sys.stdout.flush()
    sys.exit(child.wait())


main()
