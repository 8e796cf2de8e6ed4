#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A manager that cannot be executed: PID 1 says so on the console, and obeys a power-off by itself."""

import os
import signal

from sandbox import Sandbox

with Sandbox(init=("/sbin/svcd", "--manager=/usr/lib/svcd/not-there"), expect_crash=True) as box:
    box.wait_console("/usr/lib/svcd/not-there: cannot execute it: No such file or directory")
    box.wait_console("/usr/lib/svcd/not-there could not be executed")
    box.wait_console("keeps failing")

    os.kill(box.pid1, signal.SIGRTMIN + 4)
    status = box.wait_end()
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT, f"wait status {status:#x}"
