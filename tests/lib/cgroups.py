# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Cgroups: a leaf of the machine's cgroup2 tree for one test, with this process's pid in its name.

Whoever enters it and then takes a new cgroup namespace sees the leaf as the root of the tree.
"""

import os
import secrets

from deadline import wait_for

EMPTY_LIMIT_S = 10


def cgroup2_mount():
    """Where the machine has its cgroup2 tree, or None."""
    with open("/proc/self/mountinfo", encoding="utf-8") as mounts:
        for line in mounts:
            left, right = line.split(" - ", 1)
            if right.split()[0] == "cgroup2":
                return left.split()[4]
    return None


def remove_tree(path):
    """Takes away what holds no process; says whether all is gone."""
    for directory, _names, _files in os.walk(path, topdown=False):
        try:
            os.rmdir(directory)
        except OSError:
            pass
    return not os.path.isdir(path)


class Leaf:
    """Without a cgroup2 tree (@mount None) it is nothing, and entering it does nothing."""

    def __init__(self, mount):
        self.path = f"{mount}/svcd-test-{os.getpid()}-{secrets.token_hex(3)}" if mount else None

    def __enter__(self):
        if self.path:
            os.mkdir(self.path)
        return self

    def __exit__(self, kind, value, trace):
        self.remove()

    def enter(self):
        if self.path:
            with open(f"{self.path}/cgroup.procs", "w", encoding="ascii") as procs:
                procs.write("0")

    def remove(self):
        """The processes are dead, but the kernel may need a moment to count them out."""
        if self.path:
            wait_for(lambda: remove_tree(self.path), EMPTY_LIMIT_S, f"{self.path} is empty")
