#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Processes that start in a service's cgroup after a kill of that cgroup stay alive.

Such processes are the clean-up commands, and the service itself if an earlier run left processes.
Since Linux 6.14, a process cloned into a killed cgroup may be killed at once.
"""

import os
import subprocess

from deadline import holds_for, wait_for
from sandbox import Sandbox

DEAF = "Exec=/bin/sh -c \"trap '' TERM; while :; do sleep 1; done\"\nStopTimeout=300ms\n"
SERVICES = {
    "deaf": f"[Service]\n{DEAF}Cleanup=/bin/sh -c \"sleep 0.1; echo 1 >>/run/cleaned\"\n"
            "Cleanup=/bin/sh -c \"sleep 100\"\nCleanup=/bin/sh -c \"echo 3 >>/run/cleaned\"\n",
    "left": "[Service]\nExec=/bin/sleep infinity\nRestart=no\n",
}

with Sandbox(SERVICES, policy="[runlevel 2]\nActivate=deaf\n") as box:
    box.wait_state("deaf", "ready")
    box.svcctl("stop", "deaf", check=False)
    box.wait_state("deaf", "idle", "failed")
    assert box.exists("/run/cleaned") and box.read("/run/cleaned") == "1\n3\n", box.console()

    group = f"{box._leaf.path}/svcd/left"
    os.mkdir(group)
    with subprocess.Popen(["/bin/sleep", "1000"]) as stray:
        with open(f"{group}/cgroup.procs", "w", encoding="ascii") as procs:
            procs.write(str(stray.pid))
        box.svcctl("start", "left")
        box.wait_console("left: killing processes that an earlier run left behind")
        wait_for(lambda: stray.poll() is not None, what="the stray is dead")
    pid = box.wait_state("left", "ready")["pid"]
    holds_for(lambda: box.pid("left") == pid, 0.3, "it lives")
