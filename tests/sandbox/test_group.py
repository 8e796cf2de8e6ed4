#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A group has no process: it is ready while its terms are true, and starts its members."""

from sandbox import Sandbox

SERVICES = {
    "a": "[Service]\nExec=/bin/sleep infinity\n",
    "b": "[Service]\nExec=/bin/sleep infinity\n",
    "both": "[Service]\nType=group\n[Conditions]\nWhile=service:a\nWhile=service:b\n",
}

with Sandbox(SERVICES, policy="[runlevel 2]\nActivate=both\n") as box:
    box.wait_states({"a": "ready", "b": "ready", "both": "ready"})

    box.svcctl("stop", "a", "--with-dependents")
    box.wait_states({"a": "idle", "both": "waiting"})
