#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A runlevel change acts only on the difference: services in both runlevels are not touched."""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
POLICY = """[runlevel 2]
Activate=shared two
[runlevel 3]
Name=other
Activate=shared three
"""

with Sandbox({"shared": SLEEP, "two": SLEEP, "three": SLEEP}, policy=POLICY) as box:
    box.wait_states({"shared": "ready", "two": "ready", "three": "idle"})
    pid = box.pid("shared")

    box.svcctl("runlevel", "3")
    box.wait_states({"shared": "ready", "two": "idle", "three": "ready"})
    assert box.pid("shared") == pid
    assert "3" in box.svcctl("runlevel").stdout

    box.kill_manager()
    assert "3" in box.svcctl("runlevel").stdout
    box.wait_states({"shared": "ready", "two": "idle", "three": "ready"})
    assert box.pid("shared") == pid
