#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A manager that a debugger holds is not taken for a hung one; let go, it answers again."""

import os

import namespaces
from deadline import holds_for
from sandbox import Sandbox

PING_MS = 500
LONGER_THAN_A_HANG_S = 5

with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n"}, init=("/sbin/svcd", f"--ping-ms={PING_MS}")) as box:
    box.wait_state("a", "ready")
    manager = box.manager_pid()

    namespaces.ptrace(namespaces.PTRACE_ATTACH, manager)
    os.waitpid(manager, 0)
    holds_for(lambda: box.manager_pid() == manager, LONGER_THAN_A_HANG_S, "the traced manager is left alone")
    namespaces.ptrace(namespaces.PTRACE_DETACH, manager)

    box.wait_up()
    assert box.manager_pid() == manager
    box.wait_console("being traced")
