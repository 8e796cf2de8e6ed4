#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Services end while there is no manager: the next manager gets each exit status from PID 1."""

import os
import signal

from deadline import wait_for
from sandbox import Sandbox

NAMES = [f"s{status}" for status in range(1, 31)]
SERVICES = {name: f"[Service]\nExec=/bin/sh -c \"while [ ! -e /run/go ]; do sleep 0.05; done; exit {name[1:]}\"\nRestart=no\n"
            for name in NAMES}

with Sandbox(SERVICES) as box:
    box.wait_states({name: "ready" for name in NAMES})
    pids = [box.pid(name) for name in NAMES]

    os.kill(box.manager_pid(), signal.SIGSTOP)
    box.write("/run/go", "")
    wait_for(lambda: not [pid for pid in pids if box.is_alive(pid)], what="all have ended")
    box.kill_manager(signal.SIGKILL)

    box.wait_states({name: "failed" for name in NAMES})
    for name in NAMES[:5] + NAMES[-5:]:
        assert f"status {name[1:]}" in box.svcctl("explain", name).stdout, box.svcctl("explain", name).stdout
