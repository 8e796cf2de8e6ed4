#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""svcd boots as PID 1: all activated services come up, and the boot ends."""

from deadline import wait_for
from sandbox import Sandbox

SERVICES = {
    "first": "[Service]\nType=task\nExec=/bin/true\n",
    "second": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhen=service:first\n",
    "third": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nAfter=second\n",
    "idle": "[Service]\nExec=/bin/sleep infinity\n",
}

with Sandbox(SERVICES, policy="[runlevel 2]\nActivate=first second third\n") as box:
    box.wait_states({"first": "done", "second": "ready", "third": "ready", "idle": "idle"})

    assert box.read("/proc/1/comm").strip() == "svcd"
    wait_for(lambda: box.svcctl_json("status")["boot_finished"], what="the boot is over")
