#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two init scripts with X-Interactive and links in /etc/rc2.d ask at the console: one at a time,
each with its answer."""

import os

from deadline import wait_for
from sandbox import Sandbox

SCRIPT = """#!/bin/sh
### BEGIN INIT INFO
# Provides:          {name}
# Required-Start:
# Required-Stop:
# Default-Start:     2
# Default-Stop:
# X-Interactive:     true
### END INIT INFO
case "$1" in start) printf '{name} asks: '; read answer; echo "{name} got <$answer>" ;; esac
"""
POLICY = "[defaults]\nRcLinks=yes\n[runlevel 2]\nActivate=keep\n"

with Sandbox({"keep": "[Service]\nExec=/bin/sleep infinity\n"}, policy=POLICY) as box:
    os.makedirs(box.path("/etc/rc2.d"), exist_ok=True)
    for name in ("first", "second"):
        box.write(f"/etc/init.d/{name}", SCRIPT.format(name=name), mode=0o755)
        os.symlink(f"../init.d/{name}", box.path(f"/etc/rc2.d/S01{name}"))
    box.svcctl("reload-files")

    box.wait_console("first asks: ")
    box.wait_states({"first": "starting", "second": "waiting"})
    assert "second waits for the lock console, which first holds." in box.svcctl("explain", "second").stdout
    assert "second asks" not in box.console()
    os.write(box.console_fd, b"one\n")
    box.wait_console("first got <one>")
    box.wait_console("second asks: ")
    os.write(box.console_fd, b"two\n")
    box.wait_console("second got <two>")
    box.wait_states({"first": "done", "second": "done"})
    box.wait_at_rest()

    # Without a terminal the script runs as under SysV.
    box.run("mount", "--bind", "/dev/null", "/dev/console")
    box.svcctl("restart", "first")
    box.wait_state("first", "done")
    wait_for(lambda: "first got <>" in box.svcctl("log", "first").stdout, what="its output is logged")
