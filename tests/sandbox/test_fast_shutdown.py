#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The record of a shutdown is complete even if every service stops at once. The record does not
delay the end."""

from bed import make_disk
from boots import vendor, wait_recorded
from sandbox import Sandbox

NAMES = [f"quick{number}" for number in range(20)]
SERVICES = {name: "[Service]\nExec=/bin/sleep infinity\n" for name in NAMES}
POLICY = f"[runlevel 2]\nActivate={' '.join(NAMES)} boot-record\n[runlevel 0]\nActivate=shutdown-record\n"
RECORDERS = {name: vendor(name) for name in ("boot-record", "shutdown-record")}

with Sandbox({**SERVICES, **RECORDERS}, policy=POLICY, disk=make_disk()) as box:
    wait_recorded(box, 1)
    box.shut_down("poweroff")
    box.wait_end()
    assert "not ended yet" not in box.console(), box.console()

    box.boot_again()
    wait_recorded(box, 2)
    shown = box.svcctl("boot", "blame", "--shutdown").stdout
    assert "The services of boot 1 stopped in " in shown and "runlevel 0, requested by uid 0" in shown, shown
    stops = {one["name"]: one["stopped"] for one in box.svcctl_json("boot", "blame", "--shutdown")}
    assert all(stops.get(name) for name in NAMES), stops
