# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Cgroups: a leaf of the machine's cgroup2 tree for one test, with this process's pid in its name.

A process that enters the leaf and then makes a new cgroup namespace sees it as the root of the
tree.
"""

import os
import secrets

from deadline import wait_for


def cgroup2_mount():
    """The mount point of the machine's cgroup2 tree, or None."""
    with open("/proc/self/mountinfo", encoding="utf-8") as mounts:
        for line in mounts:
            left, right = line.split(" - ", 1)
            if right.split()[0] == "cgroup2":
                return left.split()[4]
    return None


def remove_tree(path):
    """Remove cgroups without processes; returns whether all are gone."""
    for directory, _names, _files in os.walk(path, topdown=False):
        try:
            os.rmdir(directory)
        except OSError:
            pass
    return not os.path.isdir(path)


class Leaf:
    """A leaf cgroup. Without a cgroup2 tree (@mount is None) it has no effect."""

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
        """Remove the leaf. The processes are dead, but the kernel may need a moment to uncharge
        them."""
        if self.path:
            wait_for(lambda: remove_tree(self.path), what=f"{self.path} is empty")


class MemoryLimit:
    """
    A cgroup without free memory: the kernel kills a process in it at its next page fault.

    It uses the memory controller of cgroup v1 or v2, whichever is available.
    """

    LIMITS = {"/sys/fs/cgroup/memory": ("memory.limit_in_bytes", "memory.oom_control"),
              "/sys/fs/cgroup": ("memory.max", "memory.events")}

    def __init__(self, size=64 * 1024):
        self.size = size
        self.path = None

    def __enter__(self):
        for top, (limit, events) in self.LIMITS.items():
            path = f"{top}/svcd-test-{os.getpid()}-memory"
            try:
                os.mkdir(path)
            except OSError:
                continue
            if not os.path.exists(f"{path}/{limit}"):
                os.rmdir(path)
                continue
            self.path, self.limit, self.events = path, limit, events
            with open(f"{path}/{limit}", "w", encoding="ascii") as file:
                file.write(str(self.size))
            break
        return self

    def __exit__(self, kind, value, trace):
        if self.path:
            wait_for(lambda: remove_tree(self.path), what=f"{self.path} is empty")

    @property
    def is_possible(self):
        return self.path is not None

    def n_killed(self):
        with open(f"{self.path}/{self.events}", encoding="ascii") as file:
            return int(next(line.split()[1] for line in file if line.startswith("oom_kill ")))

    def starve(self, pid):
        """Returns whether the process existed."""
        try:
            with open(f"{self.path}/cgroup.procs", "w", encoding="ascii") as file:
                file.write(str(pid))
        except OSError:
            return False
        return True
