#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A boot that hangs: the overview names the awaited service and the command to continue; stopped and
timed-out services stay in the boot record.

Without a record of an earlier boot there is no estimate.
"""

from deadline import wait_for
from sandbox import Sandbox
from terminal import on_terminal

SERVICES = {
    "block": "[Service]\nType=task\nDescription=Waits for the SAN\nExec=/bin/sleep 1000\nStartTimeout=10min\n",
    "ssh": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nAfter=block\n",
    "slow": "[Service]\nType=task\nExec=/bin/sleep 1000\nStartTimeout=1s\nRestart=no\n[Conditions]\nAfter=ssh\n",
    "last": "[Service]\nType=task\nExec=/bin/true\n[Conditions]\nAfter=slow\n",
}

with Sandbox(SERVICES) as box:
    box.wait_state("block", "starting")

    overview, _, _ = on_terminal(box, 80, "status")
    lines = overview.splitlines()
    assert "%" not in lines[0] and "left" not in lines[0] and "0 of 4 services up" in lines[0], overview
    assert lines[1].startswith("  Waiting for block (Waits for the SAN): starting for "), overview
    assert "more; last, slow, ssh wait for it" in " ".join(overview.split()), overview
    assert "  To go on without it: svcctl stop block" in lines and max(map(len, lines)) <= 80, overview
    boot = box.svcctl("boot").stdout
    assert boot.startswith("Booting for ") and "To go on without it: svcctl stop block" in boot, boot
    assert box.overview()["boot_remaining_us"] == 0

    box.svcctl("stop", "block")
    box.svcctl("boot", "--wait", check=False)
    chain = {row["name"]: row["result"] for row in box.svcctl_json("boot", "chain")}
    assert chain == {"block": "stopped", "ssh": "up", "slow": "failed", "last": "up"}, chain
    assert "Waiting for" not in box.svcctl("status").stdout
    box.kill_manager()
    wait_for(lambda: {row["name"]: row["result"] for row in box.svcctl_json("boot", "chain")} == chain, what="the next manager knows it")
