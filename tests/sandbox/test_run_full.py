#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
/run is full: services still start and stop, nothing blocks, and PID 1 can execute itself, because
its tables are not in a file of /run.
"""

from sandbox import Sandbox

TALKS = "[Service]\nExec=/bin/sh -c \"yes | head -c 1000000; exec sleep infinity\"\n"

with Sandbox({"a": TALKS, "b": "[Service]\nExec=/bin/sleep infinity\n"}, policy="[runlevel 2]\n") as box:
    box.wait_up()
    box.run("dd if=/dev/zero of=/run/filler bs=1M 2>/dev/null", check=False)

    box.svcctl("start", "a", "b")
    box.wait_states({"a": "ready", "b": "ready"})
    box.kill_manager()
    box.wait_states({"a": "ready", "b": "ready"})
    pids = [box.pid(name) for name in ("a", "b")]
    manager = box.manager_pid()
    box.svcctl("reexec")
    box.wait_states({"a": "ready", "b": "ready"})
    assert box.manager_pid() != manager
    assert [box.pid(name) for name in ("a", "b")] == pids
    box.svcctl("stop", "a", "b")
    box.wait_states({"a": "idle", "b": "idle"})
