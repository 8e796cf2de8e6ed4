#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Root inside the sandbox cannot kill PID 1 by accident, and signals without a meaning change nothing.

PID 1 treats a fault signal as its own fault: it executes itself, and starts another manager.
"""

from sandbox import Sandbox

with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n"}, expect_crash=True) as box:
    pid = box.wait_state("a", "ready")["pid"]
    for name in ("KILL", "SEGV", "ABRT", "STOP", "PIPE", "ALRM", "USR2", "CHLD", "WINCH", "URG"):
        box.run("kill", f"-{name}", "1", check=False)
    box.wait_up()
    assert box.wait_state("a", "ready")["pid"] == pid
