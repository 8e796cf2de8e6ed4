#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""PID 1's ping detects a hanging manager and replaces it; services keep their pids."""

import os
import signal

from deadline import wait_for
from sandbox import Sandbox

# Pings are more frequent than usual, because three missed pings would take fifteen seconds.
with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n"}, init=("/sbin/svcd", "--ping-ms=500")) as box:
    box.wait_state("a", "ready")
    pid = box.pid("a")
    old = box.manager_pid()

    os.kill(old, signal.SIGSTOP)

    wait_for(lambda: box.manager_pid() not in (0, old), what="the stopped manager is replaced")
    box.killed_managers += 2  # reported as hanging, and then killed
    box.wait_up()
    box.wait_state("a", "ready")
    assert box.pid("a") == pid
    box.wait_console("does not answer")
