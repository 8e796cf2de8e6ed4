#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""reexec replaces PID 1's program and the manager, ten times; no service is touched, no history is
lost."""

from deadline import wait_for
from sandbox import Sandbox

NAMES = [f"s{number}" for number in range(10)]
KEPT = ("state", "pid", "restarts", "since_us")

with Sandbox({name: "[Service]\nExec=/bin/sleep infinity\n" for name in NAMES}) as box:
    box.wait_states({name: "ready" for name in NAMES})
    before = {name: {key: row[key] for key in KEPT} for name, row in box.services().items()}

    for _round in range(10):
        old = box.manager_pid()
        box.svcctl("reexec")
        wait_for(lambda: box.manager_pid() not in (0, old), what="there is another manager")
        box.wait_up()
        box.wait_at_rest()
        after = {name: {key: row[key] for key in KEPT} for name, row in box.services().items()}
        assert after == before, (before, after)
    assert box.read("/proc/1/comm").strip() == "svcd"
    box.svcctl("stop", "s0")
    box.wait_state("s0", "idle")
