#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A user holds /proc, so a lookup of a new name there waits forever. PID 1 still replaces its
manager, and shuts down the machine."""

import os
import signal

import attack
from attack import Attack
from deadline import wait_for
from sandbox import Sandbox


def press_until(box, text):
    """Ctrl-alt-del, seven times within two seconds: then PID 1 shuts down the machine
    without the manager."""
    def press():
        for _ in range(7):
            os.kill(box.pid1, signal.SIGINT)
        return text in box.console()
    wait_for(press, what=f"the console shows {text!r}")


with Sandbox({**attack.WITNESSES}, policy="[runlevel 2]\nActivate=victim talker\n", files=attack.FILES, expect_crash=True) as box:
    box.wait_state("victim", "ready")
    manager = box.manager_pid()
    with Attack(box, "hold-directory", "/proc", "writer"):
        os.kill(manager, signal.SIGKILL)
        box.wait_console("the manager was killed by signal 9")
        press_until(box, "restarting")
        wait_for(lambda: "restarting now" in box.console(), what="PID 1 has shut down the machine")
