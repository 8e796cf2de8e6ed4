#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fifty services that end at once: svcd gives up on each and reports the reason, and the other
services keep running."""

from sandbox import Sandbox

LOOPS = [f"loop-{number}" for number in range(50)]
SERVICES = {name: "[Service]\nExec=/bin/sh -c \"exit 1\"\nRestart=always\nRestartDelay=10ms\nRestartLimit=5/60s\n" for name in LOOPS}
SERVICES["calm"] = "[Service]\nExec=/bin/sleep infinity\n"

with Sandbox(SERVICES) as box:
    pid = box.wait_state("calm", "ready")["pid"]
    box.wait_states({name: "failed" for name in LOOPS})
    assert box.wait_state("calm", "ready")["pid"] == pid
    box.wait_at_rest()
    assert "5" in box.svcctl("explain", LOOPS[0]).stdout
