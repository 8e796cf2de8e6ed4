#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""poweroff, reboot and halt stop everything in order, and then call reboot(2) with the correct
argument."""

import os
import signal

from sandbox import Sandbox

# A call of reboot(2) in a PID namespace appears to the parent as the death of PID 1 by one of two
# signals.
ENDS = (("poweroff", signal.SIGINT), ("poweroff --halt", signal.SIGINT), ("reboot", signal.SIGHUP))
# Only the console outlives the sandbox.
SAYS = "/bin/sh -c \"trap 'echo stopped cleanly >/dev/console; exit 0' TERM; while :; do sleep 0.1; done\""

for verb, number in ENDS:
    with Sandbox({"a": f"[Service]\nExec={SAYS}\n"}) as box:
        box.wait_state("a", "ready")
        box.wait_up()
        # Nothing else delays the shutdown, yet svcctl's output is complete.
        box.svcctl(*verb.split())
        status = box.wait_end()
        assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == number, f"{verb}: wait status {status:#x}"
        box.wait_console("stopped cleanly")
