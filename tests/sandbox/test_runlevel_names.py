#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The machine boots into a custom runlevel, and changes to it. A custom runlevel includes another,
is included, and is named in the policy of a service."""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {name: SLEEP for name in ("early", "base", "network", "reader", "chosen")}
POLICY = """[runlevel S]
Activate=early
[runlevel base]
Activate=base
[runlevel laptop-on-train]
Name=train
Include=base
Activate=reader
[runlevel 2]
Include=base
Activate=network
[runlevel 5]
Include=laptop-on-train
[service chosen]
Runlevels=laptop-on-train
"""

with Sandbox(SERVICES, policy=POLICY, cmdline="svcd.runlevel=laptop-on-train") as box:
    box.wait_states({"early": "ready", "base": "ready", "reader": "ready", "chosen": "ready", "network": "idle"})
    assert "train" in box.svcctl("runlevel").stdout
    pid = box.pid("base")

    box.svcctl("runlevel", "2")
    box.wait_states({"early": "ready", "base": "ready", "network": "ready", "reader": "idle", "chosen": "idle"})

    # Change by its second name.
    box.svcctl("runlevel", "train")
    box.wait_states({"reader": "ready", "chosen": "ready", "network": "idle"})

    # Runlevel 5 includes it, so 5 wants the same services.
    box.svcctl("runlevel", "5")
    box.wait_states({"reader": "ready", "chosen": "ready", "network": "idle"})
    assert box.pid("base") == pid

    assert box.svcctl("runlevel", "laptop-on-tram", check=False).returncode != 0
    box.kill_manager()
    box.wait_states({"early": "ready", "reader": "ready", "network": "idle"})
    assert box.pid("base") == pid
