#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A user holds the kernel's lock of all network configuration. The manager continues, even when a link
changes and when the manager is replaced. It reads the network afterwards.

The lock is shared with the machine, so it is held only for some seconds.
"""

import attack
from attack import Attack
from sandbox import Sandbox

SERVICES = {**attack.WITNESSES, "link": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=network:interface:va\n"}

with Sandbox(SERVICES, files=attack.FILES) as box:
    box.wait_states({"victim": "ready", "link": "waiting"})
    box.run("ip link set lo up && ip link add va type veth peer vb && ip link set va up && ip link set vb up")
    box.wait_state("link", "ready")

    with Attack(box, "hold-network") as held:
        box.kill_manager(wait=False)
        took = attack.check_responsive(box, limit=8)
        print(held.way, {key: round(value, 3) for key, value in took.items()})

    box.run("ip link set vb down")
    box.wait_state("link", "waiting")
