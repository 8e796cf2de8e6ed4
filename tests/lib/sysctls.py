# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Sysctls: Debian's protection of links, files and FIFOs (procps, 99-protect-links.conf).

Namespaces do not have their own values. So the machine has Debian's values while tests run, and
gets its own back after the last run.
"""

import contextlib
import fcntl
import os

VALUES = {"protected_fifos": "1", "protected_hardlinks": "1", "protected_regular": "2", "protected_symlinks": "1"}
PROC = "/proc/sys/fs"


def _read(path):
    with open(path, encoding="ascii") as file:
        return file.read().strip()


def _write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text + "\n")


def values():
    return {name: _read(f"{PROC}/{name}") for name in VALUES}


@contextlib.contextmanager
def as_debian(cache):
    """@cache: the directory that all runs share. A killed run leaves Debian's values in force, and
    the saved values for the next run."""
    with open(f"{cache}/sysctls.lock", "a+", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        for name, value in VALUES.items():
            saved = f"{cache}/sysctl-{name}"
            if _read(f"{PROC}/{name}") != value:
                if not os.path.exists(saved):
                    _write(f"{saved}.{os.getpid()}", _read(f"{PROC}/{name}"))
                    os.rename(f"{saved}.{os.getpid()}", saved)
                _write(f"{PROC}/{name}", value)
        try:
            yield
        finally:
            with contextlib.suppress(BlockingIOError):  # another run is active
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                for name in VALUES:
                    saved = f"{cache}/sysctl-{name}"
                    if os.path.exists(saved):
                        _write(f"{PROC}/{name}", _read(saved))
                        os.unlink(saved)
