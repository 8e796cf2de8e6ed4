#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A manager without a free descriptor refuses clients and sleeps; when descriptors are free again,
it answers as before."""

import os
import resource
import socket
import time

from deadline import wait_for
from sandbox import Sandbox

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def connect(path):
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(5)
    client.connect(path)
    return client


with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n"}) as box:
    box.wait_state("a", "ready")
    manager = box.manager_pid()
    used = len(os.listdir(f"/proc/{manager}/fd"))
    hard = resource.prlimit(manager, resource.RLIMIT_NOFILE)[1]
    resource.prlimit(manager, resource.RLIMIT_NOFILE, (used + 2, hard))

    clients = [connect(box.path("/run/svcd/private")) for _ in range(10)]
    wait_for(lambda: "no file descriptors are left" in box.console(), what="the manager reports it")
    before, since = cpu_seconds(manager), time.monotonic()
    wait_for(lambda: time.monotonic() - since > 1, what="a second has passed")
    spent = cpu_seconds(manager) - before
    assert spent < 0.3, f"{spent} s of CPU time in an idle second"

    for client in clients:
        client.close()
    assert box.svcctl("list").returncode == 0
    assert box.manager_pid() == manager
