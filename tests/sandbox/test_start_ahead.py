#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
The control group of a service that waits for one other only is made while that one starts: it is there and empty, a manager's
death changes nothing, and if the start never comes the group goes.
"""

import signal

from deadline import wait_for
from sandbox import Sandbox

SERVICES = {
    "first": "[Service]\nExec=/bin/sh -c \"while ! test -e /run/go; do sleep 0.1; done; exec sleep infinity\"\nReady=path:/run/go\n",
    "second": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=service:first\n",
    "third": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=service:second\n",
    "broken": "[Service]\nExec=/bin/sh -c \"while ! test -e /run/end; do sleep 0.1; done; exit 1\"\nReady=notify\nRestart=no\n",
    "in-vain": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=service:broken\n",
}


def members(box, name):
    """The pids in the group of a service, or None if there is no group."""
    path = f"{groups}/{name}/cgroup.procs"
    return box.run("cat", path).stdout.split() if box.run("test", "-e", path, check=False).returncode == 0 else None


with Sandbox(SERVICES, expect_crash=True) as box:
    box.wait_states({"first": "starting", "broken": "starting"})
    root = next(line.split()[1] for line in box.run("cat", "/proc/mounts").stdout.splitlines() if line.split()[2] == "cgroup2")
    groups = (root + box.cgroup_of(box.pid("first"))).rsplit("/", 1)[0]
    wait_for(lambda: members(box, "second") == [] and members(box, "in-vain") == [], what="groups are there, and empty")
    assert members(box, "third") is None

    box.kill_manager(signal.SIGKILL)
    box.wait_up()
    assert members(box, "second") == []
    box.write("/run/go", "")
    box.wait_states({"first": "ready", "second": "ready", "third": "ready"})
    assert members(box, "second") == [str(box.pid("second"))]

    # One that another manager has left is found by the next start; what this one has made goes when all is at rest.
    box.svcctl("stop", "broken")
    box.svcctl("start", "--no-wait", "broken", check=False)
    box.write("/run/end", "")
    box.wait_state("broken", "failed")
    box.wait_at_rest()
    box.run("rmdir", f"{groups}/in-vain", check=False)

    box.remove("/run/end")
    box.svcctl("start", "--no-wait", "broken", check=False)
    wait_for(lambda: members(box, "in-vain") == [], what="it is there again")
    box.write("/run/end", "")
    box.wait_state("broken", "failed")
    box.wait_at_rest()
    wait_for(lambda: members(box, "in-vain") is None, what="it is gone")
