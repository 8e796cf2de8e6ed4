#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ctrl-alt-del seven times in two seconds reboots even if the manager does nothing."""

import os
import signal

from deadline import wait_for
from sandbox import Sandbox


def pending(pid):
    """The pending signals of a process, as a mask."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as status:
        return int([line for line in status if line.startswith("ShdPnd:")][0].split()[1], 16)


with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n"}) as box:
    box.wait_state("a", "ready")
    os.kill(box.manager_pid(), signal.SIGSTOP)
    box.killed_managers += 1
    for press in range(7):
        os.kill(box.pid1, signal.SIGINT)
        # The kernel does not queue a signal twice, so wait until the keeper has taken the last one.
        if press < 6:
            wait_for(lambda: not pending(box.pid1), what="the press was seen")
    status = box.wait_end()
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGHUP, f"wait status {status:#x}"
