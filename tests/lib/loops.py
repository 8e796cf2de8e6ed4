# SPDX-License-Identifier: LGPL-2.1-or-later
"""Loops: loop devices of a sandbox. They belong to the machine, and must be released at the end."""

import fcntl
import glob
import os
import re
import stat
import tempfile
import time

LOOP_MAJOR = 7
LOOP_CLR_FD = 0x4C01


def release(number):
    """Detach the file from /dev/loop@number, wherever that node may be; no effect without a file.
    """
    with tempfile.TemporaryDirectory() as directory:
        node = f"{directory}/loop"
        os.mknod(node, stat.S_IFBLK | 0o600, os.makedev(LOOP_MAJOR, number))
        try:
            fd = os.open(node, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return
        try:
            fcntl.ioctl(fd, LOOP_CLR_FD)
        except OSError:
            pass
        finally:
            os.close(fd)


def name_of_file():
    """A name for a file behind a loop device; it contains the pid of the owner."""
    return f"volume-{os.getpid()}-{time.monotonic_ns()}"


def release_left_behind():
    """Release the loop devices of killed tests."""
    for path in glob.glob("/sys/block/loop*/loop/backing_file"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                owner = re.search(r"volume-(\d+)-\d+", file.read())
        except OSError:
            continue
        if owner and not os.path.exists(f"/proc/{owner.group(1)}"):
            release(int(path.split("/")[3].removeprefix("loop")))
