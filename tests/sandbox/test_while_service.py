#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""While=service:x: the service stops with x, and starts again when x is back."""

from sandbox import Sandbox

SERVICES = {
    "base": "[Service]\nExec=/bin/sleep infinity\n",
    "upper": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=service:base\n",
}

with Sandbox(SERVICES) as box:
    upper = box.wait_state("upper", "ready")["pid"]

    box.svcctl("stop", "base", "--with-dependents")
    box.wait_states({"base": "idle", "upper": "waiting"})
    assert not box.is_alive(upper)

    box.svcctl("start", "base")
    assert box.wait_state("upper", "ready")["pid"] != upper
