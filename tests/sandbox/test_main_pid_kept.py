#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""MAINPID= survives a replacement of the manager: a daemon that replaces itself by a new process,
like nginx at an upgrade, continues."""

from deadline import wait_for
from sandbox import Sandbox

# On USR2 this daemon starts its successor and sends the successor's pid; on QUIT it exits.
UPGRADES = """import os, signal, socket, sys, time
say = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
say.connect(os.environ["NOTIFY_SOCKET"])
def upgrade(*_):
    child = os.fork()
    if child == 0:
        return
    say.send(b"STATUS=upgraded\\nMAINPID=%d" % child)
signal.signal(signal.SIGUSR2, upgrade)
signal.signal(signal.SIGQUIT, lambda *_: os._exit(0))
say.send(b"READY=1")
while True:
    signal.pause()
"""

SERVICE = "[Service]\nExec=/usr/bin/python3 /etc/upgrades.py\nReady=notify\nWatchdogTimeout=1h\n"

with Sandbox({"web": SERVICE}, files={"/etc/upgrades.py": UPGRADES}) as box:
    old = box.wait_state("web", "ready")["pid"]
    box.svcctl("reload", "--signal", "USR2", "web")
    wait_for(lambda: "upgraded" in box.svcctl("status", "web").stdout, what="its successor has begun")

    box.kill_manager()
    box.svcctl("reload", "--signal", "QUIT", "web")

    new = wait_for(lambda: box.service("web").get("pid") not in (None, 0, old) and box.service("web")["pid"], what="the new main process")
    assert box.service("web")["state"] == "ready" and box.is_alive(new), box.service("web")
