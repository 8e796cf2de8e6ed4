#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A call that comes while a daemon is ending starts it again. svc-activate uses little CPU time while
it waits for svcd. No mount remains when the bus has ended.
"""

import os
import signal
import socket
import subprocess
import time

from deadline import wait_for
from sandbox import Sandbox

NAME = "org.freedesktop.nm_dispatcher"

PLACE = "/usr/local/share/dbus-1/system-services"

# The limit of clients of the private socket.
LIMIT_PRIVATE_CLIENTS = 64

# Releases its name, and takes a while to exit with success, like idle daemons.
SERVICES = {"nm-dispatcher": "[Service]\nExec=/bin/sh -c '/usr/lib/NetworkManager/nm-dispatcher; sleep 3'\n"
                             f"Ready=dbus:{NAME}\n[Conditions]\nWhile=service:dbus\n"}


def begin_call(box):
    return subprocess.Popen(box.command(["dbus-send", "--system", "--print-reply", "--reply-timeout=60000",
                                         f"--dest={NAME}", "/", "org.freedesktop.DBus.Peer.Ping"]),
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True)


def end_call(caller):
    out, _ = caller.communicate(timeout=60)
    assert "method return" in out, out


def find(box, name):
    """The pid inside the sandbox of the process with this name, or None."""
    return next((pid for pid, found in box.processes().items() if found[2].startswith(name)), None)


def cpu_s(outer):
    with open(f"/proc/{outer}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


with Sandbox(SERVICES, root="debian", vendor=True, policy="[runlevel 2]\nActivate=dbus\n", mounts=("sys",)) as box:
    box.wait_state("dbus", "ready")
    end_call(begin_call(box))
    invocation = box.service("nm-dispatcher")["invocation"]

    # svcd still considers the service ready, but its name is free. The call starts the next run.
    box.kill(find(box, "nm-dispatch"), signal.SIGTERM)
    wait_for(lambda: not find(box, "nm-dispatch"), what="the daemon gives its name back")
    assert box.state("nm-dispatcher") == "ready"
    end_call(begin_call(box))
    assert box.service("nm-dispatcher")["invocation"] != invocation

    # No other client can connect: svc-activate retries from time to time.
    box.svcctl("stop", "nm-dispatcher")
    box.svcctl("clear", "nm-dispatcher")
    others = []
    for _ in range(LIMIT_PRIVATE_CLIENTS):
        others.append(socket.socket(socket.AF_UNIX))
        others[-1].connect(f"/proc/{box.pid1}/root/run/svcd/private")
    caller = begin_call(box)
    activate = wait_for(lambda: find(box, "svc-activate"), what="the bus asks for the service")
    outer = box.outer_pid(activate)
    time.sleep(2)
    used_s = cpu_s(outer)
    for other in others:
        other.close()
    end_call(caller)
    assert used_s < 0.5, f"svc-activate has used {used_s} s of 2"

    # svcd's mount below /usr/local ends with the bus, because /usr/local may be a volume.
    assert box.run("findmnt", "-n", PLACE, check=False).stdout
    box.svcctl("stop", "dbus", "--with-dependents")
    box.wait_state("dbus", "idle")
    assert not box.run("findmnt -n -o TARGET | grep -e /usr/local -e bus-services", check=False).stdout
    box.svcctl("start", "dbus")
    end_call(begin_call(box))
