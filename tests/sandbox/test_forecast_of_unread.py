#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A forecast starts from the running services, and includes earlier manual changes that a change of
policy makes svcd read."""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
LOCAL = "/etc/svcd/policy.d/local.policy"

with Sandbox({"ssh": SLEEP, "nginx": SLEEP, "cups": SLEEP}, policy="", files={LOCAL: "[runlevel 2]\nActivate=ssh nginx\n"}) as box:
    box.wait_states({"ssh": "ready", "nginx": "ready"})

    box.write(LOCAL, "[runlevel 2]\nActivate=ssh new\n")
    box.write("/etc/svcd/services.d/new.svc", SLEEP)
    foretold = box.svcctl_json("set", "cups", "never", "--dry-run")
    assert (foretold["stops"], foretold["starts"]) == (["nginx"], ["new"]), foretold
    box.svcctl("set", "cups", "never")
    box.wait_states({"ssh": "ready", "nginx": "idle", "new": "ready"})
