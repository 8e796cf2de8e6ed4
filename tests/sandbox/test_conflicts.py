#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Conflicts=: the later request of an admin wins; the other service waits, and starts again when
the first one has ended."""

from sandbox import Sandbox

SERVICES = {
    "one": "[Service]\nExec=/bin/sleep infinity\n",
    "two": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nConflicts=one\n",
}

with Sandbox(SERVICES, policy="[runlevel 2]\nActivate=one\n") as box:
    box.wait_state("one", "ready")

    box.svcctl("start", "two")
    box.wait_states({"one": "waiting", "two": "ready"})
    assert "two" in box.svcctl("explain", "one").stdout

    box.svcctl("stop", "two")
    box.wait_states({"one": "ready", "two": "idle"})
