#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A lingering group without a service file is forgotten when its linger time is over."""

from deadline import wait_for
from sandbox import Sandbox

SERVICES = {
    "ground": "[Service]\nType=group\nLinger=3s\n",
    "upper": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=service:ground\n",
    "other": "[Service]\nExec=/bin/sleep infinity\n",
}

with Sandbox(SERVICES, policy="[runlevel 2]\nActivate=upper other\n[service ground]\nActivation=on-demand\n") as box:
    box.wait_state("upper", "ready")
    box.svcctl("stop", "upper")
    assert box.service("ground")["want_reason"] == "lingering", box.service("ground")
    box.remove("/etc/svcd/services.d/ground.svc")
    box.svcctl("reload-files", check=False)  # the service that it needs has no file
    assert box.state("ground") == "ready"

    # The group's own timer does this, not another manager: the sandbox fails if a manager dies.
    wait_for(lambda: "ground" not in box.services(), what="it is forgotten")
    box.wait_state("other", "ready")
