#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
/sbin/poweroff, reboot and halt return at once. elogind runs them, and meanwhile must serve the
sessions that end.
"""

import os
import signal

from deadline import wait_for
from sandbox import Sandbox

# A call of reboot(2) in a PID namespace appears to the parent as the death of PID 1 by one of two
# signals.
ENDS = (("poweroff", signal.SIGINT), ("halt", signal.SIGINT), ("reboot", signal.SIGHUP))
# This service stops when the test permits it, and then the machine ends.
SLOW = ("[Service]\nExec=/bin/sh -c \"trap 'while ! test -e /run/let-go; do sleep 0.1; done; exit 0' TERM; while :; do sleep 0.1; done\"\n"
        "StopTimeout=5min\n")

for name, number in ENDS:
    with Sandbox({"slow": SLOW}) as box:
        box.wait_state("slow", "ready")
        box.wait_up()
        done = box.run(f"/usr/lib/svcd/sysv/{name}", check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done
        # The command has returned, and this service delays the shutdown.
        box.wait_state("slow", "stopping")
        assert box.run(f"/usr/lib/svcd/sysv/{name}", check=False).returncode == 0, "a second request, as impatient users make it"
        wait_for(lambda: box.run("svcctl status", check=False).returncode == 0, what="an answer during the shutdown")
        box.run("touch /run/let-go", check=False) # the machine may end before the command does
        status = box.wait_end()
        assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == number, f"{name}: wait status {status:#x}"
