#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""PID 1 and the manager have one thread each, after all their actions."""

import os

from sandbox import Sandbox

with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=path:/run\n"}) as box:
    box.wait_state("a", "ready")
    box.svcctl("flag", "set", "x")
    box.svcctl("restart", "a")
    box.wait_state("a", "ready")
    for outer in (box.pid1, box.manager_pid()):
        assert len(os.listdir(f"/proc/{outer}/task")) == 1, f"process {outer}"
