#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A hundred re-executions while services start and stop. limit: 900"""

from deadline import wait_for
from sandbox import Sandbox

CALM = [f"calm-{number}" for number in range(30)]
SERVICES = {name: "[Service]\nExec=/bin/sleep infinity\n" for name in CALM}
SERVICES["busy"] = "[Service]\nExec=/bin/sh -c \"sleep 0.05\"\nRestart=always\nRestartDelay=10ms\nRestartLimit=500/1s\n"

with Sandbox(SERVICES) as box:
    box.wait_states({name: "ready" for name in CALM})
    pids = {name: box.pid(name) for name in CALM}
    for _round in range(100):
        old = box.manager_pid()
        box.svcctl("reexec")
        wait_for(lambda: box.manager_pid() not in (0, old), what="there is another manager")
        box.wait_up()
    assert {name: box.pid(name) for name in CALM} == pids
    box.wait_state("busy", "ready", "starting", "backoff")
