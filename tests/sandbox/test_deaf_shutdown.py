#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fifty services that ignore TERM do not multiply the delay of a shutdown by fifty: they are killed
in parallel.
"""

import os
import re
import signal

from sandbox import Sandbox

NAMES = [f"deaf-{number}" for number in range(50)]
DEAF = "[Service]\nExec=/bin/sh -c \"trap '' TERM; echo >/run/%i; while :; do sleep 1; done\"\nReady=path:/run/%i\nStopTimeout=3s\n"

with Sandbox({"deaf@": DEAF}, policy="[runlevel 2]\n" + "".join(f"Activate=deaf@{name}\n" for name in NAMES)) as box:
    box.wait_states({f"deaf@{name}": "ready" for name in NAMES})
    box.shut_down("poweroff")
    status = box.wait_end()
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT, f"wait status {status:#x}"
    steps = [step for step in re.findall(r"deaf@\S+: (.*)", box.console()) if not step.startswith("ready")]
    is_kill = ["killing it" in step for step in steps]
    assert is_kill == len(NAMES) * [False] + len(NAMES) * [True], "all are asked before the first is killed: " + "\n".join(steps)
