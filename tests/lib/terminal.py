# SPDX-License-Identifier: LGPL-2.1-or-later
"""Terminal: the screen that a user sees after some output, with its carriage returns and erased
lines.
"""

import fcntl
import os
import re
import struct
import subprocess
import termios
import time


def screen_lines(text):
    """The lines of @text at its end; an overwritten line appears once, in its last form."""
    return [_last_state(line) for line in text.replace("\r\n", "\n").split("\n")]


def _last_state(line):
    shown, at = "", 0
    for piece in re.findall(r"\r|\033\[K|[^\r\033]+", line):
        if piece == "\r":
            at = 0
        elif piece == "\033[K":
            shown = shown[:at]
        else:
            shown = shown[:at] + piece + shown[at + len(piece):]
            at += len(piece)
    return shown


def set_size(fd, columns, rows=24):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def on_terminal(box, columns, *words, environment=None, then=None, rows=24):
    """The output of svcctl on a terminal of that size, its duration in seconds, and its exit code.
    @then: the number of columns after the first update of the screen."""
    master, slave = os.openpty()
    set_size(slave, columns, rows)
    process = subprocess.Popen(box.command(["/usr/bin/svcctl", *words]), stdin=slave, stdout=slave, stderr=slave,
                               env={**box.run_environment(), "TERM": "xterm", **(environment or {})})
    os.close(slave)
    began, written = time.monotonic(), b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:
            break
        written += piece
        if then and b"\x1b[J" in written:
            set_size(master, then)
    process.wait()
    os.close(master)
    return written.decode().replace("\r\n", "\n"), time.monotonic() - began, process.returncode
