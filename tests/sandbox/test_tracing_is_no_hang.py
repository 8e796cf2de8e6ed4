#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A manager that somebody traces is not taken for a hung one. limit: 300"""

import subprocess

from deadline import holds_for
from sandbox import Sandbox

PING_MS = 500
LONGER_THAN_A_HANG_S = 6

with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n"}, init=("/sbin/svcd", f"--ping-ms={PING_MS}")) as box:
    box.wait_state("a", "ready")
    manager = box.manager_pid()
    # Every system call takes as long as a debugger's user: the pings are missed.
    with subprocess.Popen(["strace", "-qq", "-o", "/dev/null", "-p", str(manager), "-e", "trace=recvmsg,sendmsg",
                           "-e", "inject=recvmsg,sendmsg:delay_enter=20000000"], stdin=subprocess.DEVNULL) as strace:
        try:
            holds_for(lambda: box.manager_pid() == manager, LONGER_THAN_A_HANG_S, "the traced manager is left alone")
        finally:
            strace.terminate()
    box.wait_up()
    assert box.manager_pid() == manager
