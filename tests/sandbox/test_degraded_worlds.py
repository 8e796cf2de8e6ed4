#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A machine without /proc, cgroups or /sys, or with a read-only /run, and without the right to mount
them.

Services still start, log, stop and survive the manager's death. Each missing part is reported once.
"""

import os
import signal

from deadline import wait_for
from sandbox import Sandbox

# The sanitizers need /proc.
STAGE = os.environ["SVCD_BUILDS"] + "/stage-bare"

NO_CGROUPS = "svcd: there are no cgroups for services: only the main process of each is known and stopped"
SERVICES = {
    "a": "[Service]\nExec=/bin/sh -c \"echo hello; exec sleep infinity\"\n",
    # Writes more than a pipe holds: without a reader it blocks here.
    "talks": "[Service]\nExec=/bin/sh -c \"yes | head -c 1000000; echo >/dev/shm/said; exec sleep infinity\"\n",
    "stops": "[Service]\nExec=/bin/sh -c \"trap '' TERM; while :; do sleep 1; done\"\nStopTimeout=1s\n",
}


def world(**keys):
    return Sandbox(SERVICES, stage=STAGE, may_mount=False, **keys)


def check_up(box):
    box.wait_states(dict.fromkeys(SERVICES, "ready"))
    wait_for(lambda: box.exists("/dev/shm/said"), what="a service with much output is not delayed")
    pids = {name: row["pid"] for name, row in box.services().items()}
    box.kill_manager()
    box.wait_states(dict.fromkeys(SERVICES, "ready"))
    assert {name: row["pid"] for name, row in box.services().items()} == pids
    box.svcctl("stop", "stops")
    box.wait_state("stops", "idle")
    assert not box.is_alive(pids["stops"])
    box.svcctl("restart", "a")
    assert box.wait_state("a", "ready")["pid"] != pids["a"]
    wait_for(lambda: "hello" in box.svcctl("log", "a").stdout, what="its output is in its log")


def check_end(box):
    """The power-off is requested by a signal, because there may be no socket."""
    os.kill(box.pid1, signal.SIGRTMIN + 4)
    status = box.wait_end()
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT, f"wait status {status:#x}"


for missing in ({"missing": ("proc",)}, {"missing": ("cgroup",)}, {"missing": ("proc",), "mounts": ()}):
    with world(**missing) as box:
        check_up(box)
        assert box.console().count(NO_CGROUPS) == 1, box.console()
        if "proc" in missing["missing"]:
            assert box.console().count("svcd: cannot mount /proc: Operation not permitted") == 1, box.console()
        check_end(box)

# svcd mounts everything that it may mount, even over a read-only /run.
with Sandbox(SERVICES, stage=STAGE, read_only=("/run",)) as box:
    check_up(box)
    check_end(box)

# No socket can be made and no log written. The boot continues, and when /run is writable, a signal
# repairs all this.
with world(read_only=("/", "/run")) as box:
    box.wait_console("svcd: svcctl cannot reach svcd: cannot listen on /run/svcd/private: ")
    box.wait_console("svcd: a: ready")
    wait_for(lambda: box.exists("/dev/shm/said"), what="a service with much output is not delayed")
    assert "starting it again" not in box.console(), box.console()
    box.run("mount", "-o", "remount,bind,rw", "/run")
    os.kill(box.pid1, signal.SIGUSR1)
    check_up(box)
    check_end(box)
