# SPDX-License-Identifier: LGPL-2.1-or-later
"""Loop devices of a sandbox: they belong to the machine, and must be given back when the sandbox goes."""

import fcntl
import os
import stat
import tempfile

LOOP_MAJOR = 7
LOOP_CLR_FD = 0x4C01


def release(number):
    """Take the file away from /dev/loop@number, wherever that node may be; none there is fine."""
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
