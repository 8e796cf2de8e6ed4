#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ctrl-alt-del sends SIGINT to PID 1 and causes an orderly reboot."""

import os
import signal

from sandbox import Sandbox

with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n"}) as box:
    box.wait_state("a", "ready")
    os.kill(box.pid1, signal.SIGINT)
    status = box.wait_end()
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGHUP, f"wait status {status:#x}"
