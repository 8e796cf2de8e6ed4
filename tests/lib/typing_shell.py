# SPDX-License-Identifier: LGPL-2.1-or-later
"""Typing shell: a user who types at a shell, or any program, on a terminal."""

import os
import pty
import re
import select
import signal
import struct
import subprocess
import fcntl
import termios
import time

from deadline import DEFAULT_S

# Sequences for colours, positions and modes, which are removed so that only the text remains.
SEQUENCES = re.compile(r"\x00|\x1b(\[[0-9;?>=]*[a-zA-Z]|[()][A-Z0-9]|[=>78])|\x07|\x0f|\r")


def own_terminal():
    """Take the terminal, and restore the default action of SIGINT, because shells ignore it in
    commands that they start with &."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Typing:
    """@argv on a terminal of 40 rows and 100 columns. Its output is read during waits."""

    def __init__(self, argv, environment):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        self.settings = termios.tcgetattr(slave)
        self.slave = slave
        self.raw = b""
        self.process = subprocess.Popen(argv, stdin=slave, stdout=slave, stderr=slave, env=environment,
                                        start_new_session=True, preexec_fn=own_terminal)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)
        return False

    def text(self):
        return SEQUENCES.sub("", self.raw.decode("utf-8", "replace"))

    def type(self, text):
        """Type, and return the length of the output so far: the answer follows it."""
        shown = len(self.text())
        os.write(self.master, text.encode())
        return shown

    def _read(self, seconds):
        if select.select([self.master], [], [], seconds)[0]:
            try:
                self.raw += os.read(self.master, 65536)
            except OSError:  # EIO: no process has the terminal open any more
                return

    def wait_text(self, pattern, after=0):
        """Wait until the output after @after matches; returns the match."""
        until = time.monotonic() + DEFAULT_S
        while time.monotonic() < until:
            found = re.search(pattern, self.text()[after:], re.S)
            if found:
                return found
            self._read(0.5)
        raise AssertionError(f"{pattern!r} was not shown after {self.text()[after:]!r}")

    def wait_end(self):
        """Wait for the end of the program; returns its exit status."""
        until = time.monotonic() + DEFAULT_S
        while self.process.poll() is None:
            if time.monotonic() > until:
                raise AssertionError(f"it does not end: {self.text()!r}")
            self._read(0.05)
        self._read(0)
        return self.process.returncode
