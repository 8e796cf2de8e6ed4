#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A service prints its first line when PID 1 asks all processes to end, and there is no syslog
daemon. The process that would send the line does not delay the end."""

from sandbox import Sandbox

LATE = "[Service]\nExec=/bin/sh -c \"trap 'echo late; sleep 0.5; exit 0' TERM; echo >&3; while :; do sleep 0.1; done\"\nReady=fd:3\n"

with Sandbox({"late": LATE}, policy="[runlevel 2]\nActivate=late\n[runlevel 0]\nActivate=late\n") as box:
    box.wait_state("late", "ready")
    box.shut_down("poweroff")
    box.wait_end()
    box.wait_console("asking all processes to end")
    assert "not ended yet" not in box.console(), box.console()
