#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A service stops when no wanted service needs it any more, and not before."""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {
    "own": SLEEP,
    "common": SLEEP,
    "one": SLEEP + "[Conditions]\nWhile=service:own\nWhile=service:common\n",
    "two": SLEEP + "[Conditions]\nWhile=service:common\n",
}

with Sandbox(SERVICES, policy="[runlevel 2]\nActivate=two\n") as box:
    box.wait_states({"two": "ready", "common": "ready", "own": "idle"})
    box.svcctl("start", "one")
    box.wait_states({"one": "ready", "own": "ready"})

    box.svcctl("stop", "one")
    box.wait_states({"one": "idle", "own": "idle", "common": "ready", "two": "ready"})
