#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""fork fails in PID 1 (EAGAIN): that start is tried again with a back-off, and PID 1 lives."""

import subprocess

from deadline import wait_for
from sandbox import Sandbox

with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\nRestart=on-failure\nRestartDelay=300ms\n"}, policy="[runlevel 2]\n") as box:
    box.wait_up()
    with subprocess.Popen(["strace", "-qq", "-o", "/dev/null", "-p", str(box.pid1), "-e", "trace=clone3",
                           "-e", "inject=clone3:error=EAGAIN:when=1..2"], stdin=subprocess.DEVNULL) as strace:
        try:
            wait_for(lambda: "TracerPid:\t0\n" not in open(f"/proc/{box.pid1}/status", encoding="utf-8").read(),
                     what="strace is attached")
            box.svcctl("start", "a", check=False)
            row = box.wait_state("a", "ready")
        finally:
            strace.terminate()
    assert row["restarts"] >= 1, row
    assert box.read("/proc/1/comm").strip() == "svcd"
