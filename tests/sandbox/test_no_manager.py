#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
The manager cannot be executed: PID 1 reports this on the console, and obeys svcctl poweroff and
SysV's reboot itself.

In this state there is neither a socket nor a fifo.
"""

import os
import signal

from sandbox import Sandbox

# A call of reboot(2) in a PID namespace appears to the parent as the death of PID 1 by one of two
# signals.
ENDS = ((("svcctl", "poweroff"), signal.SIGINT), (("/usr/lib/svcd/sysv/reboot",), signal.SIGHUP))

for command, number in ENDS:
    with Sandbox(init=("/sbin/svcd", "--manager=/usr/lib/svcd/not-there"), expect_crash=True) as box:
        box.wait_console("/usr/lib/svcd/not-there: cannot execute it: No such file or directory")
        box.wait_console("/usr/lib/svcd/not-there could not be executed")
        box.wait_console("keeps failing")

        box.run(*command)
        status = box.wait_end()
        assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == number, f"{command}: wait status {status:#x}"
