#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Each manager, that of the machine and that of a user, has dropped the privileges that it does not
need.

PID 1 has kept all its privileges, and gives the services theirs.
"""

import signal

from deadline import wait_for
from sandbox import Sandbox

# The capabilities that a manager may have in its effective set (linux/capability.h).
KEPT = sum(1 << number for number in (0, 1, 2, 3, 4, 5, 12, 19, 23, 24, 34))


def status_of(pid):
    """The fields of /proc/PID/status; @pid is the pid outside the sandbox."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file)


def capabilities(status):
    return {name: int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")}


def check_manager(pid):
    status = status_of(pid)
    assert (status["NoNewPrivs"], status["Seccomp"], status["Seccomp_filters"]) == ("1", "2", "1"), status
    has = capabilities(status)
    assert has["CapEff"] and not has["CapEff"] & ~KEPT, f"{has['CapEff']:#x}"
    assert not has["CapPrm"] & ~KEPT, f"{has['CapPrm']:#x}"
    assert has["CapInh"] == has["CapBnd"] == has["CapAmb"] == 0, has


def check_others(box):
    ours = capabilities(status_of(box.pid1))
    assert ours["CapEff"] & ~KEPT, "PID 1 has dropped a capability"
    for pid in (box.pid1, box.outer_pid(box.pid("a"))):
        status = status_of(pid)
        assert (status["NoNewPrivs"], status["Seccomp"]) == ("0", "0"), status
        assert capabilities(status)["CapBnd"] == ours["CapBnd"] and capabilities(status)["CapEff"] == ours["CapEff"], status


with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n"}) as box:
    box.wait_state("a", "ready")
    check_manager(box.manager_pid())
    check_others(box)

    box.kill_manager(signal.SIGKILL)
    box.wait_up()
    check_manager(box.manager_pid())

    old = box.manager_pid()
    box.svcctl("reexec")
    wait_for(lambda: box.manager_pid() not in (0, old), what="there is another manager")
    box.wait_up()
    check_manager(box.manager_pid())
    box.svcctl("restart", "a")
    box.wait_state("a", "ready")
    check_others(box)
