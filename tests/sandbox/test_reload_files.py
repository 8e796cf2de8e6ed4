#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""SIGHUP to PID 1 reads the files again: what runs goes on, what is new is known, what is broken is reported."""

import os
import signal

from deadline import wait_for
from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"

with Sandbox({"a": SLEEP, "b": SLEEP}) as box:
    box.wait_states({"a": "ready", "b": "ready"})
    pids = box.pid("a"), box.pid("b")

    box.write("/etc/svcd/services.d/new.svc", SLEEP)
    box.write("/etc/svcd/services.d/b.svc", "[Service]\nExec=/bin/sleep 12345\nExc=typo\n")
    os.kill(box.pid1, signal.SIGHUP)

    wait_for(lambda: "new" in box.services(), what="the new service is known")
    assert (box.pid("a"), box.pid("b")) == pids
    assert box.svcctl("check", check=False).returncode == 10
    box.svcctl("start", "new")
    box.wait_state("new", "ready")
