#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""PID 1 starts a service itself, in its own session and cgroup, and svcctl shows its pid."""

from sandbox import Sandbox

with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n"}) as box:
    box.wait_state("a", "ready")

    pid = box.pid("a")
    stat = box.read(f"/proc/{pid}/stat").split()
    assert stat[1] == "(sleep)", stat
    assert int(stat[3]) == 1, f"its parent is {stat[3]}"
    assert int(stat[5]) == pid, f"its session is {stat[5]}"
    assert box.cgroup_of(pid).endswith("/svcd/a"), box.cgroup_of(pid)
    assert sorted(box.read(f"/proc/{pid}/cmdline").split("\0")[:2]) == ["/bin/sleep", "infinity"]
