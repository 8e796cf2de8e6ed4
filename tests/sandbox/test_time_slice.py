#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
PID 1 and the manager ask for a short slice of the processor, also when they are executed anew; what they start has that of everybody, and
its own nice value. Who made PID 1 a batch process is left alone. Where the kernel has one slice for all (before Linux 6.12), all have it.
"""

import ctypes
import os
import platform
import struct

from deadline import wait_for
from sandbox import Failure, Sandbox

SYS_SETATTR, SYS_GETATTR = (314, 315) if platform.machine() == "x86_64" else (274, 275)
ATTRIBUTES = "=IIQiIQQQ"  # size, policy, flags, nice, priority, runtime, deadline, period
SHORT_NS = 100000
libc = ctypes.CDLL(None, use_errno=True)


def attributes(pid):
    """Policy, nice value and slice of a process."""
    buffer = ctypes.create_string_buffer(struct.calcsize(ATTRIBUTES))
    if libc.syscall(SYS_GETATTR, pid, buffer, len(buffer), 0) < 0:
        raise Failure(f"sched_getattr: {os.strerror(ctypes.get_errno())}")
    _size, policy, _flags, nice, _priority, runtime, _deadline, _period = struct.unpack(ATTRIBUTES, buffer)
    return policy, nice, runtime


def kernel_has_slices():
    """Tried by a process of its own."""
    pid = os.fork()
    if pid == 0:
        wanted = struct.pack(ATTRIBUTES, struct.calcsize(ATTRIBUTES), os.SCHED_OTHER, 0, 0, 0, SHORT_NS, 0, 0)
        libc.syscall(SYS_SETATTR, 0, wanted, 0)
        os._exit(0 if attributes(0)[2] == SHORT_NS else 1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def of(box, name):
    wait_for(lambda: any(found[2] == name for found in box.processes().values()), what=f"{name} runs")
    (outer,) = [outer for outer, _parent, found, _state in box.processes().values() if found == name]
    return attributes(outer)


EVERYBODYS = attributes(0)[2]
OURS = SHORT_NS if kernel_has_slices() else EVERYBODYS
assert EVERYBODYS != SHORT_NS, "nothing could be seen here"
SERVICES = {"plain": "[Service]\nExec=/bin/sleep infinity\n", "nice": "[Service]\nExec=/usr/bin/tail -f /dev/null\nNice=5\n"}


def check(box):
    for name in SERVICES:
        box.wait_state(name, "ready")
    assert attributes(box.pid1) == (os.SCHED_OTHER, 0, OURS), attributes(box.pid1)
    assert attributes(box.manager_pid()) == (os.SCHED_OTHER, 0, OURS), attributes(box.manager_pid())
    wait_for(lambda: of(box, "sleep") == (os.SCHED_OTHER, 0, EVERYBODYS), what="a service has the slice of everybody")
    wait_for(lambda: of(box, "tail") == (os.SCHED_OTHER, 5, EVERYBODYS), what="one that is nice has it, and is nice")
    assert of(box, "svc-logger")[2] == EVERYBODYS


with Sandbox(SERVICES) as box:
    check(box)
    box.kill_manager()
    box.svcctl("restart", "plain", "nice")
    check(box)
    box.svcctl("reexec")
    box.svcctl("restart", "plain", "nice")
    check(box)
    # What somebody makes of PID 1 later, its children are, too; but for the slice.
    os.setpriority(os.PRIO_PROCESS, box.pid1, 7)
    box.svcctl("restart", "plain")
    wait_for(lambda: of(box, "sleep") == (os.SCHED_OTHER, 7, EVERYBODYS), what="a service is as nice as PID 1")
    os.sched_setscheduler(box.pid1, os.SCHED_BATCH, os.sched_param(0))
    box.svcctl("restart", "plain")
    wait_for(lambda: of(box, "sleep") == (os.SCHED_BATCH, 7, EVERYBODYS), what="a service is as PID 1 is")
    box.svcctl("reexec")
    box.svcctl("restart", "plain")
    wait_for(lambda: of(box, "sleep") == (os.SCHED_BATCH, 7, EVERYBODYS), what="after a reexec, too")

with Sandbox(SERVICES, init=("/usr/bin/chrt", "--batch", "0", "/sbin/svcd")) as box:
    for name in SERVICES:
        box.wait_state(name, "ready")
    for outer in (box.pid1, box.manager_pid()):
        assert attributes(outer) == (os.SCHED_BATCH, 0, EVERYBODYS), attributes(outer)
    assert of(box, "sleep") == (os.SCHED_BATCH, 0, EVERYBODYS), of(box, "sleep")
