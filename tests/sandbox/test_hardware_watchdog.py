#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
PID 1 feeds the hardware watchdog, except while PID 1 itself hangs. If configured, it also stops
feeding while no manager answers.

PID 1 also feeds the watchdog during a re-execution, and until the machine is off. A reboot leaves
the watchdog armed, a power-off stops it. (Here the device is a FIFO; tests/boot has a real one.)
"""

import os
import select
import signal
import stat

from deadline import wait_for
from sandbox import Sandbox

# A FIFO has no timeout, so it is fed each second.
DEVICE = "/run/dog"
UNFED_S = 4
SERVICE = {"a": "[Service]\nExec=/bin/sleep infinity\n"}


class Dog:
    """The device, which collects what is written to it."""

    def __init__(self, box):
        box.run("mkfifo", "-m", "600", DEVICE)
        self.fd = os.open(box.path(DEVICE), os.O_RDONLY | os.O_NONBLOCK)
        assert stat.S_ISFIFO(os.fstat(self.fd).st_mode)
        self.eaten = b""

    def eat(self, seconds):
        """Return the next data, or nothing after that time."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return b""
        food = os.read(self.fd, 100)
        self.eaten += food
        return food

    def wait_fed(self):
        self.eat(0)
        wait_for(lambda: self.eat(1) == b"k", what="the watchdog is fed")

    def check_unfed(self):
        """Check that nothing is written, apart from data on its way."""
        self.eat(1.5)
        assert self.eat(UNFED_S) == b"", "the watchdog was fed"


def box_with(request):
    return Sandbox(SERVICE, init=("/sbin/svcd", "--ping-ms=3000", f"--watchdog={request}"))


def check_fed(box, dog):
    dog.wait_fed()
    os.kill(box.pid1, signal.SIGSTOP)
    dog.check_unfed()
    os.kill(box.pid1, signal.SIGCONT)
    dog.wait_fed()

    old = box.manager_pid()
    box.svcctl("reexec")
    wait_for(lambda: box.manager_pid() not in (0, old), what="there is another manager")
    box.wait_up()
    assert os.readlink(f"/proc/{box.pid1}/exe")
    dog.wait_fed()


def check_manager_needed(box, dog):
    """Nothing is written until a frozen manager is replaced."""
    box.wait_up()  # the manager must have answered once
    dog.wait_fed()
    os.kill(box.manager_pid(), signal.SIGSTOP)
    box.wait_console("is not fed until a manager answers")
    box.wait_console("does not answer")
    box.killed_managers += 2  # reported as hanging, and then killed
    box.wait_up()
    dog.wait_fed()


def ends(box, dog, verb):
    """Shut down, and return everything that was written to the device."""
    box.shut_down(verb)
    while dog.eat(20):
        pass
    box.wait_end()
    os.close(dog.fd)
    return dog.eaten


with box_with(f"60,{DEVICE}") as sandbox:
    its = Dog(sandbox)
    check_fed(sandbox, its)
    assert b"V" not in its.eaten
    assert ends(sandbox, its, "poweroff").endswith(b"kV")

with box_with(f"60,manager,{DEVICE}") as sandbox:
    its = Dog(sandbox)
    check_manager_needed(sandbox, its)
    assert b"V" not in ends(sandbox, its, "reboot")
