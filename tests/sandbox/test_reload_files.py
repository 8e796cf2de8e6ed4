#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""SIGHUP to PID 1 reads the files again: running services continue, new files are known, broken
ones are reported."""

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

    # A service that was started with an older file is marked, also by the next manager.
    def shown(name, state, why, advice):
        row = box.svcctl_json("status", name)[0]
        assert row["file_state"] == state, row
        assert why in box.svcctl("explain", name).stdout, box.svcctl("explain", name).stdout
        assert advice in box.svcctl("explain", name).stdout, box.svcctl("explain", name).stdout
        return box.svcctl("status", name).stdout

    assert box.svcctl_json("status", "a")[0]["file_state"] == "current"
    assert "since it was started" not in box.svcctl("status", "a").stdout
    box.write("/etc/svcd/services.d/a.svc", "[Service]\nDescription=the same\nExec=/bin/sleep infinity\n[Conditions]\nWhile=path:/etc\n")
    box.svcctl("reload-files", check=False)
    assert box.svcctl_json("status", "a")[0]["file_state"] == "current", "a condition takes effect at once"
    box.write("/etc/svcd/services.d/a.svc", "[Service]\nExec=/bin/sleep 12345\n")
    box.remove("/etc/svcd/services.d/new.svc")
    assert box.svcctl("reload-files", check=False).returncode == 10
    for _ in range(2):
        assert "changed since the service was started (svcctl restart a)" in shown(
            "a", "changed", "Its service file has changed since its last start", "svcctl restart a")
        assert "gone, so the service is not started again (svcctl stop new)" in shown(
            "new", "gone", "Its service file is gone", "svcctl stop new")
        assert "has an error now, so its earlier settings stay in force (svcctl explain b)" in shown(
            "b", "invalid", "Its service file has an error now", "svcctl check")
        box.kill_manager()
    assert (box.pid("a"), box.pid("b")) == pids

    box.svcctl("restart", "a")
    assert box.svcctl_json("status", "a")[0]["file_state"] == "current"
