#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
PID 1 feeds the machine's watchdog: not while it stands still, nor while no manager answers, if it is asked to look at that; through
its own replacement and to the end. A reboot leaves it armed, a power-off stops it. (Here the device is a FIFO; tests/boot has one.)
"""

import os
import select
import signal
import stat

from deadline import wait_for
from sandbox import Sandbox

# A FIFO knows no times, so it is fed every second.
DEVICE = "/run/dog"
UNFED_S = 4
SERVICE = {"a": "[Service]\nExec=/bin/sleep infinity\n"}


class Dog:
    """The device: what it has been given is read as it comes."""

    def __init__(self, box):
        box.run("mkfifo", "-m", "600", DEVICE)
        self.fd = os.open(box.path(DEVICE), os.O_RDONLY | os.O_NONBLOCK)
        assert stat.S_ISFIFO(os.fstat(self.fd).st_mode)
        self.eaten = b""

    def eat(self, seconds):
        """Returns what comes until something does, or for that long."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return b""
        food = os.read(self.fd, 100)
        self.eaten += food
        return food

    def wait_fed(self):
        self.eat(0)
        wait_for(lambda: self.eat(1) == b"k", what="the watchdog is fed")

    def check_unfed(self):
        """What was on its way is no food."""
        self.eat(1.5)
        assert self.eat(UNFED_S) == b"", "it is fed by nobody"


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
    """Until a frozen manager is replaced nothing feeds."""
    box.wait_up()  # before that it need not have answered anybody yet
    dog.wait_fed()
    os.kill(box.manager_pid(), signal.SIGSTOP)
    box.wait_console("is not fed until a manager answers")
    box.wait_console("does not answer")
    box.killed_managers += 2  # it is said to hang, and then to be killed
    box.wait_up()
    dog.wait_fed()


def ends(box, dog, verb):
    """Returns what it was given last."""
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
