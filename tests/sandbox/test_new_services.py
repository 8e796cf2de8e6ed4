#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""NewServices=boot: services without policy run, but not on a single-purpose machine, and not if
policy excludes them."""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {name: SLEEP for name in ("installed", "excepted", "elsewhere", "purpose")}
POLICY = """[defaults]
NewServices=boot
[service excepted]
Activation=on-demand
[runlevel 5]
Activate=elsewhere
[runlevel on-train]
Activate=purpose
"""

with Sandbox(SERVICES, policy=POLICY) as box:
    box.wait_state("installed", "ready")
    box.wait_states({"excepted": "idle", "elsewhere": "idle", "purpose": "idle"})
    assert "test.policy:2" in box.svcctl("explain", "installed").stdout

    box.write("/etc/svcd/services.d/just-installed.svc", SLEEP)
    box.svcctl("reload-files")
    box.wait_state("just-installed", "ready")

    box.svcctl("runlevel", "on-train")
    box.wait_states({"purpose": "ready", "installed": "idle", "just-installed": "idle"})
