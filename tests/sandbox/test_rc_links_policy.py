#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The policy layer of the rc links: with RcLinks=yes it decides, otherwise it is only shown.

Commands have precedence: svcctl set, enable, and a start or stop by hand."""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
NAMES = ("linked", "kept-off", "by-hand", "unlinked")
LINKS = """[service linked]
Activation=boot
Runlevels=
Runlevels=2 3
[service kept-off]
Activation=manual
[service by-hand]
Activation=boot
Runlevels=2
"""
PROGRAM = "/usr/lib/svcd/svc-generate"
# The policy from these links, in addition to that from the machine's own links.
GENERATOR = f"#!/bin/sh\nmkdir -p \"$2/rc-links\"\ncp /etc/links \"$2/rc-links/links.policy\"\nexec {PROGRAM}.real \"$@\"\n"
LAYER = "/run/svcd/generated/rc-links/links.policy"


def force(box, name, key, value):
    """How svcctl describes one statement of the links."""
    for row in box.svcctl_json("policy", name)["statements"]:
        if row["layer"] == "rc links" and (row["key"], row["value"]) == (key, value):
            return row
    raise AssertionError(f"{key}={value} is not in the policy of {name}")


with Sandbox({name: SLEEP for name in NAMES}, policy="[runlevel 2]\nActivate=kept-off -by-hand\n") as box:
    box.write("/etc/links", LINKS)
    box.run("mv", PROGRAM, f"{PROGRAM}.real")
    box.write(PROGRAM, GENERATOR, mode=0o755)
    box.svcctl("reload-files")
    box.wait_states({"linked": "idle", "kept-off": "ready", "by-hand": "idle", "unlinked": "idle"})

    row = force(box, "linked", "Runlevels", "2")
    assert not row["counts"] and not row["decides"] and row["origin"] == f"{LAYER}:4", row
    shown = box.svcctl("policy", "linked").stdout
    assert shown.count("not counted: RcLinks=no") == 1 and "linked: on-demand" in shown, shown
    assert box.svcctl_json("policy")["rc_links"] is False

    box.write("/run/svcd/policy.d/links.policy", "[defaults]\nRcLinks=yes\nNewServices=boot\n")
    box.svcctl("reload-files")
    box.wait_states({"linked": "ready", "kept-off": "ready", "by-hand": "idle", "unlinked": "ready"})
    row = force(box, "linked", "Runlevels", "2")
    assert row["counts"] and row["decides"], row
    assert "RcLinks=yes, /run/svcd/policy.d/links.policy:2" in box.svcctl("policy").stdout
    assert f"wanted in runlevel 2 ({LAYER}:4)" in box.svcctl("explain", "linked").stdout
    assert not force(box, "kept-off", "Activation", "manual")["decides"]

    box.svcctl("set", "linked", "on-demand")
    box.wait_state("linked", "idle")
    box.svcctl("undo")
    box.wait_state("linked", "ready")
    box.svcctl("enable", "by-hand")
    box.wait_state("by-hand", "ready")

    box.remove("/run/svcd/policy.d/links.policy")
    box.svcctl("reload-files")
    box.wait_states({"linked": "idle", "kept-off": "ready", "by-hand": "ready", "unlinked": "idle"})
