#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""svcd mounts /run, /sys and the cgroup tree if they are missing."""

from sandbox import Sandbox

with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n"}, mounts=()) as box:
    pid = box.wait_state("a", "ready")["pid"]
    mounts = box.read("/proc/1/mounts")
    assert " /run tmpfs " in mounts, mounts
    assert " /sys sysfs " in mounts, mounts
    assert " /sys/fs/cgroup cgroup2 " in mounts, mounts
    assert box.cgroup_of(pid).endswith("/svcd/a")
