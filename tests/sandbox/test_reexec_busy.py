#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
PID 1 and the manager of two hundred busy services (busy.py) are replaced again and again, as in an
upgrade. limit: 900

No process, exit status, line or request is lost, and descriptors and memory of PID 1 do not grow.
"""

import os
import time

from dbus.exceptions import DBusException

from busy import BusySandbox
from deadline import wait_for
from sandbox import memory_of

ROUNDS = int(os.environ.get("SVCD_TEST_ROUNDS", "10"))
SEED = int(os.environ.get("SVCD_TEST_SEED", "1"))


def figures(busy):
    return {"fds": len(os.listdir(f"/proc/{busy.box.pid1}/fd")), "private KiB": memory_of(busy.box.pid1)["private"]}


def inode_of_program(busy):
    return os.stat(f"/proc/{busy.box.pid1}/exe").st_ino


def one_round(busy, number):
    """Put a new file in its place each time, as dpkg does."""
    busy.box.run("cp /usr/sbin/svcd /usr/sbin/svcd.dpkg-new && mv -f /usr/sbin/svcd.dpkg-new /usr/sbin/svcd")
    before = inode_of_program(busy)
    old = wait_for(busy.manager, what="there is a manager")
    began = time.monotonic()
    try:
        busy.client.call_once("org.svcd1.Manager", "Reexec", "")
    except DBusException as problem:
        raise AssertionError(f"round {number}: {problem}") from None
    busy.client.close()
    busy.wait_other_manager(old)
    busy.wait_answer()
    took = time.monotonic() - began
    assert inode_of_program(busy) != before, "PID 1 executes its old program"
    busy.check_workers()
    return took


with BusySandbox(SEED) as busy:
    one_round(busy, 0)
    before = figures(busy)
    took = sorted(one_round(busy, number + 1) for number in range(ROUNDS))
    busy.finish()
    after = figures(busy)
    print(f"{ROUNDS + 1} replacements; from the request to the next answer: half within {took[len(took) // 2] * 1000:.0f} ms, "
          f"all within {took[-1] * 1000:.0f} ms; PID 1: {before} before, {after} after")
    print(busy.summary())
    assert "cannot take over" not in busy.box.console()
    assert after["fds"] <= before["fds"] + 10, (before, after)
