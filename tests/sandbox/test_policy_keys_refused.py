#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A service file with keys of policy is refused, and the error names the policy file that they
belong in. All other services start."""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {"good": SLEEP, "greedy": SLEEP + "Runlevels=2 3\n", "eager": SLEEP + "Activation=boot\n"}

with Sandbox(SERVICES) as box:
    box.wait_state("good", "ready")

    checked = box.svcctl("check", check=False)
    said = checked.stdout + checked.stderr
    assert checked.returncode == 10, checked
    assert "greedy.svc:3: Runlevels=" in said and "policy.d" in said and "eager.svc:3: Activation=" in said, said
    assert box.svcctl("start", "greedy", check=False).returncode == 10
    assert "policy" in box.svcctl("explain", "greedy").stdout
