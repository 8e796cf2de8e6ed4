#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""reexec with a program that cannot take over: PID 1 says so, goes on with the program it runs, and loses nothing."""

from deadline import wait_for
from sandbox import Sandbox

SAYS = "/sbin/svcd cannot take over"
BROKEN = {
    "no program": "rm /usr/sbin/svcd",
    "not executable": "echo >/usr/sbin/svcd",
    "no program of this machine": "echo garbage >/usr/sbin/svcd; chmod 755 /usr/sbin/svcd",
    "another program": "rm -f /usr/sbin/svcd; cp /bin/true /usr/sbin/svcd",
    "a script that ends": "printf '#!/bin/sh\\nexit 3\\n' >/usr/sbin/svcd; chmod 755 /usr/sbin/svcd",
}

with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n", "t": "[Service]\nType=task\nExec=/bin/sh -c \"echo >>/run/ran\"\n"}) as box:
    box.wait_states({"a": "ready", "t": "done"})
    pid = box.pid("a")
    box.run("cp /usr/sbin/svcd /root/svcd")

    for number, (what, command) in enumerate(BROKEN.items()):
        box.run(command)
        old = box.manager_pid()
        box.svcctl("reexec")
        wait_for(lambda: box.manager_pid() not in (0, old), what=f"another manager with {what}")
        box.wait_up()
        assert box.console().count(SAYS) == number + 1, (what, box.console())
        assert box.pid("a") == pid, what

    box.run("rm /usr/sbin/svcd; cp /root/svcd /usr/sbin/svcd")
    old = box.manager_pid()
    box.svcctl("reexec")
    wait_for(lambda: box.manager_pid() not in (0, old), what="another manager")
    box.wait_up()
    assert box.console().count(SAYS) == len(BROKEN), box.console()
    assert box.pid("a") == pid
    assert box.state("t") == "done" and box.read("/run/ran") == "\n"
