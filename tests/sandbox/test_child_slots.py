#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Children that live in PID 1's memory until their exec (daemon/keeper/child-slot.h), held there by a file system that does not answer: PID 1
goes on meanwhile, those for whom there is no room have a copy, and so has who becomes another user; it may execute itself anew and have
a fault while they are there, and they may be killed. When the file system answers all of them run.
"""

import ctypes
import os
import platform
import signal

from deadline import wait_for
from sandbox import HERE, Failure, Sandbox

# Where the sanitizers are nobody shares anything.
STAGE = os.environ["SVCD_BUILDS"] + "/stage-bare"
SLOTS = 3 if platform.machine() == "x86_64" else 0
SYS_KCMP, KCMP_VM = 312, 1

with open(os.path.join(HERE, "fuse_server.py"), encoding="utf-8") as file:
    SERVER = file.read()


def held(*more):
    return "[Service]\nExec=/bin/sleep infinity\nRestart=no\n" + "".join(f"{line}\n" for line in ("WorkingDirectory=/srv", *more))


SHARING = [f"slow{i}" for i in range(6)]
COPYING = {"user": held("User=1000", "Group=1000"), "score": held("OOMScoreAdjust=100")}
SERVICES = {
    "server": "[Service]\nExec=/usr/bin/python3 /fuse_server.py /srv /run/may-answer /run/serves\nReady=path:/run/serves\n",
    "near": "[Service]\nExec=/bin/sleep infinity\n",
    "later": "[Service]\nExec=/bin/sleep infinity\n",
    **{name: held() for name in SHARING}, **COPYING,
}


def shares(box, outer):
    result = ctypes.CDLL(None, use_errno=True).syscall(SYS_KCMP, box.pid1, outer, KCMP_VM, 0, 0)
    if result < 0:
        raise Failure(f"kcmp: {os.strerror(ctypes.get_errno())}")
    return result == 0


def held_back(box):
    """Outer numbers of children of PID 1 that have not been executed yet."""
    return {outer for outer, parent, name, state in box.processes().values() if parent == 1 and name == "svcd" and state != "Z"}


def start_held(box, name):
    before = held_back(box)
    box.svcctl("start", "--no-wait", name)
    wait_for(lambda: held_back(box) - before, what=f"{name} is held back")
    (outer,) = held_back(box) - before
    return outer


def check(box, outer, expected, what):
    if shares(box, outer) != expected:
        raise Failure(f"{what} should {'' if expected else 'not '}live in PID 1's memory")


def room_is_taken_and_given_back(box):
    children = [start_held(box, name) for name in SHARING[:4]]
    for i, outer in enumerate(children):
        check(box, outer, i < SLOTS, f"child {i}")
    box.wait_state("near", "ready")
    box.svcctl("restart", "near")
    os.kill(children[1], signal.SIGKILL)  # the file system has been asked already by the first one, who has to wait for the answer
    box.wait_state("slow1", "failed")
    for name in COPYING:
        check(box, start_held(box, name), False, name)
    check(box, start_held(box, "slow4"), SLOTS > 0, "the one in the place of who was killed")


def pid1_is_replaced(box):
    pids = {name: box.pid(name) for name in ("near", "server")}
    box.svcctl("reexec")
    for outer in held_back(box):
        check(box, outer, False, "a child of the program before")
    check(box, start_held(box, "slow5"), SLOTS > 0, "a child of the program after it")
    manager = box.manager_pid()
    os.kill(box.pid1, signal.SIGSEGV)
    wait_for(lambda: box.manager_pid() not in (0, manager), what="there is another manager")
    box.wait_up()
    box.svcctl("start", "later")
    if {name: box.pid(name) for name in pids} != pids:
        raise Failure("a service was lost")


with Sandbox(SERVICES, policy="[runlevel 2]\nActivate=server\nActivate=near\n", stage=STAGE, expect_crash=True,
             files={"/fuse_server.py": SERVER, "/srv": {"directory": True}}) as box:
    box.wait_state("server", "ready")
    room_is_taken_and_given_back(box)
    pid1_is_replaced(box)
    box.write("/run/may-answer", "")
    names = [*COPYING, *(name for name in SHARING if name != "slow1")]
    box.wait_states({name: "ready" for name in names})
    wait_for(lambda: not held_back(box), what="all are executed")
    for name in names:
        if (where := box.run("readlink", f"/proc/{box.pid(name)}/cwd").stdout.strip()) != "/srv":
            raise Failure(f"{name} is in {where}")
