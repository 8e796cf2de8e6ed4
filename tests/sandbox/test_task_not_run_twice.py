#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A completed task does not run again when the manager dies. Neither does a task that ends while
there is no manager."""

import os
import signal

from deadline import wait_for
from sandbox import Sandbox

SERVICES = {
    "early": "[Service]\nType=task\nExec=/bin/sh -c \"echo early >>/run/ran\"\n",
    "late": "[Service]\nType=task\nExec=/bin/sh -c \"while [ ! -e /run/go ]; do sleep 0.02; done; echo late >>/run/ran\"\n",
}

with Sandbox(SERVICES) as box:
    box.wait_states({"early": "done", "late": "starting"})
    pid = box.pid("late")

    os.kill(box.manager_pid(), signal.SIGSTOP)
    box.write("/run/go", "")
    wait_for(lambda: not box.is_alive(pid), what="the task has ended without a manager")
    box.kill_manager(signal.SIGKILL)

    box.wait_states({"early": "done", "late": "done"})
    for _round in range(3):
        box.kill_manager(signal.SIGSEGV)
        box.wait_at_rest()
    assert sorted(box.read("/run/ran").split()) == ["early", "late"], box.read("/run/ran")
