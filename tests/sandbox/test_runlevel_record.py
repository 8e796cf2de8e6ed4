#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each runlevel is recorded once where runlevel(8) and "who -r" look, also when the manager dies.
"""

from deadline import wait_for
from sandbox import Sandbox

SERVICES = {"records": "[Service]\nType=task\nExec=/usr/lib/svcd/svc-utmp boot\n"}

with Sandbox(SERVICES, policy="[runlevel S]\nActivate=records\n", root="debian") as box:
    wait_for(lambda: box.exists("/run/runlevel") and box.read("/run/runlevel").startswith("2"), what="the first runlevel")
    assert box.run("who -r").stdout.split()[1] == "2", box.run("who -r").stdout

    box.svcctl("runlevel", "3")
    wait_for(lambda: box.read("/run/runlevel").startswith("3"), what="the second runlevel")

    box.kill_manager()
    box.svcctl("runlevel", "4")
    wait_for(lambda: box.read("/run/runlevel").startswith("4"), what="the third runlevel")
    assert "last=3" in box.run("who -r").stdout, box.run("who -r").stdout
