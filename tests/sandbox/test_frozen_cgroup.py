#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A service with a frozen cgroup cannot block PID 1: other services start and stop meanwhile."""

import os

from deadline import wait_for
from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"

with Sandbox({"cold": SLEEP, "warm": SLEEP}, policy="[runlevel 2]\nActivate=cold\n") as box:
    box.wait_state("cold", "ready")
    cgroup = "/sys/fs/cgroup" + box.cgroup_of(box.pid("cold"))
    box.svcctl("stop", "cold")
    box.wait_state("cold", "idle")
    os.makedirs(box.path(cgroup), exist_ok=True)
    box.write(f"{cgroup}/cgroup.freeze", "1")

    box.svcctl("start", "--no-wait", "cold")
    box.svcctl("start", "warm")
    box.wait_state("warm", "ready")
    box.svcctl("stop", "warm")
    box.wait_state("warm", "idle")

    box.svcctl("stop", "--no-wait", "cold")
    box.wait_state("cold", "idle", "failed")
    wait_for(lambda: not [row for row in box.processes().values() if row[2] == "sleep"], what="nothing of it is left")
