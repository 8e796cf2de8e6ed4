#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A root that is mounted read-only boots: nothing that svcd itself needs is written outside /run."""

from sandbox import Sandbox

# The first service makes it so, before anything else runs.
SERVICES = {
    "freeze": "[Service]\nType=task\nExec=/bin/mount -o remount,ro /\n",
    "a": "[Service]\nExec=/bin/sh -c \"echo hello; exec sleep infinity\"\n[Conditions]\nWhen=service:freeze\n",
}

with Sandbox(SERVICES) as box:
    box.wait_states({"freeze": "done", "a": "ready"})
    assert box.run("touch /anything", check=False).returncode != 0
    box.kill_manager()
    box.wait_states({"freeze": "done", "a": "ready"})
    box.svcctl("restart", "a")
    box.wait_state("a", "ready")
