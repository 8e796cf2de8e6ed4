#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A machine boots with any admin policy: a broken file is ignored and reported, and
svcd.policy=vendor ignores all files."""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {"vendors": SLEEP, "admins": SLEEP, "also": SLEEP}
FILES = {
    "/etc/svcd/policy.d/10-broken.policy": "[runlevel 2]\nActivate=admins\n[service vendors]\nActivation=nevr\n",
    "/etc/svcd/policy.d/20-fine.policy": "[runlevel 2]\nActivate=also\n",
}


def complaints(box):
    return [line["text"] for line in box.svcctl_json("explain")["diagnostics"]]


with Sandbox(SERVICES, policy="[runlevel 2]\nActivate=vendors\n", files=FILES) as box:
    box.wait_states({"vendors": "ready", "also": "ready", "admins": "idle"})

    said = complaints(box)
    assert any('"nevr" is not one of' in text for text in said), said
    assert any("left out as a whole; the vendor's policy and the other files decide" in text for text in said), said
    assert "1 problem in service and policy files" in box.svcctl("status").stdout
    box.wait_console("left out as a whole; the vendor's policy and the other files decide")

with Sandbox(SERVICES, policy="[runlevel 2]\nActivate=vendors also\n[service also]\nActivation=never\n", files=FILES,
             cmdline="quiet svcd.policy=vendor svcd.frobnicate") as box:
    box.wait_states({"vendors": "idle", "also": "idle", "admins": "idle"})

    said = complaints(box)
    assert any("only the vendor's policy counts" in text for text in said), said
    assert any("svcd.frobnicate: unknown argument" in text for text in said), said
    assert not any("nevr" in text for text in said), said
    # The admin's policy forbids this start, but svcd does not read it.
    box.svcctl("start", "also")
    box.wait_state("also", "ready")
