#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""PID 1 completes the shutdown itself if the manager cannot. Here the shutdown has begun, and then
no manager stays alive."""

import os
import signal

from deadline import wait_for
from sandbox import Sandbox

STUBBORN = "/bin/sh -c \"trap '' TERM; while :; do sleep 0.1; done\""

with Sandbox({"a": f"[Service]\nExec={STUBBORN}\nStopTimeout=60s\n"}) as box:
    box.wait_state("a", "ready")
    box.shut_down("poweroff")
    # Each new manager is killed at once. After the third failure the keeper continues alone.
    for _number in range(3):
        victim = wait_for(lambda: box.manager_pid() or box._boot.poll() is not None, what="a manager, or the end")
        if box._boot.poll() is not None:
            break
        box.killed_managers += 1
        try:
            os.kill(victim, signal.SIGKILL)  # AddressSanitizer hangs on SEGV at its start
        except ProcessLookupError:
            pass
        wait_for(lambda: box.manager_pid() != victim, what="it is dead")
    status = box.wait_end()
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT, f"wait status {status:#x}"
