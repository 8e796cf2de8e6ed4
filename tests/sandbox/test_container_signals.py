#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The signals of container managers: SIGRTMIN+4 powers off, SIGRTMIN+5 reboots, SIGRTMIN+3 halts.
"""

import os
import signal

from sandbox import Sandbox

ENDS = ((3, signal.SIGINT), (4, signal.SIGINT), (5, signal.SIGHUP))

for offset, expected in ENDS:
    with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n"}) as box:
        box.wait_state("a", "ready")
        os.kill(box.pid1, signal.SIGRTMIN + offset)
        status = box.wait_end()
        assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == expected, f"SIGRTMIN+{offset}: wait status {status:#x}"
