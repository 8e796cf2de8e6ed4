#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A fault in PID 1 itself: the same process continues with its tables, services keep their pids, and
there is one manager.

This also holds if the manager was stopped (SIGSTOP). The console shows the place of the fault.
"""

import os
import re
import signal
import subprocess

from deadline import wait_for
from sandbox import Sandbox


def functions_on_stack(box):
    """The functions that led to the fault, from the console."""
    said = re.search(r"on its stack:((?: svcd\+0x[0-9a-f]+)+)", box.console())
    addresses = re.findall(r"0x[0-9a-f]+", said[1])
    return subprocess.run(["addr2line", "-f", "-e", box.path("/usr/sbin/svcd"), *addresses], stdin=subprocess.DEVNULL, check=True,
                          stdout=subprocess.PIPE, text=True).stdout.split("\n")


def build_id(box):
    notes = subprocess.run(["readelf", "-n", box.path("/usr/sbin/svcd")], stdin=subprocess.DEVNULL, check=True,
                           stdout=subprocess.PIPE, text=True).stdout
    return re.search("Build ID: ([0-9a-f]+)", notes)[1]


NAMES = [f"s{number}" for number in range(5)]

with Sandbox({name: "[Service]\nExec=/bin/sleep infinity\n" for name in NAMES}, expect_crash=True) as box:
    box.wait_states({name: "ready" for name in NAMES})
    pids = {name: box.pid(name) for name in NAMES}
    manager = box.manager_pid()

    os.kill(box.pid1, signal.SIGSEGV)

    wait_for(lambda: box.manager_pid() not in (0, manager), what="there is another manager")
    box.wait_up()
    box.wait_at_rest()
    assert {name: box.pid(name) for name in NAMES} == pids
    assert box.read("/proc/1/comm").strip() == "svcd"
    fault = re.search(r"signal 11 at (svcd\+)?0x.*, build ID ([0-9a-f]{40})", box.console())
    assert fault and fault[2] == build_id(box), box.console()
    assert {"loop", "main"} & set(functions_on_stack(box)), functions_on_stack(box)

    manager = box.manager_pid()
    os.kill(manager, signal.SIGSTOP)
    os.kill(box.pid1, signal.SIGSEGV)
    wait_for(lambda: box.manager_pid() not in (0, manager), what="there is another manager")
    box.wait_up()
    assert [row[2] for row in box.processes().values()].count("svcd-manager") == 1, box.processes()
    assert {name: box.pid(name) for name in NAMES} == pids
    box.shut_down("poweroff")
    status = box.wait_end()
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT, f"wait status {status:#x}"
