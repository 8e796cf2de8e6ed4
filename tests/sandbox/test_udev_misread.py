#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
In one event udevd sees an empty volume, as if the kernel were writing its superblock: svcd first
asks udevd again.

No service stops before the answer, also with a new manager. A volume that is really wiped is gone.
"""

import os
import signal

import misread
from deadline import wait_for
from sandbox import Failure, Sandbox

ONE = f"one-{os.getpid()}"
SERVICE = f"[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=label:{ONE}\n"


def label_of(box, device):
    done = box.run("udevadm", "info", "--query=property", "--property=ID_FS_LABEL", "--value", device)
    return done.stdout.strip()


def announce(box, device):
    """Send an event in which the volume is empty."""
    os.mkdir(box.path(misread.ARMED))
    box.run("udevadm", "trigger", "--settle", "--action=change", device)
    if os.path.isdir(box.path(misread.ARMED)):
        raise Failure("the event was like any other")


def check_untouched(box, device, pid):
    """Wait for svcd's request. Only svcd can have sent it, because nothing has written to the
    device."""
    wait_for(lambda: label_of(box, device) == ONE, what="udev probes it again")
    box.run("udevadm", "settle")
    box.wait_at_rest()
    if box.pid("one") != pid:
        raise Failure("a service was restarted because udev has misread its volume")


with Sandbox({"one": SERVICE}, udev=True) as box:
    box.wait_state("udevd", "ready")
    box.write(misread.PLACE, misread.rule(ONE))
    box.run("udevadm", "control", "--reload")
    device = box.attach(box.volume(ONE))
    box.wait_state("one", "ready")
    pid = box.pid("one")

    announce(box, device)
    check_untouched(box, device, pid)

    manager = box.manager_pid()
    os.kill(manager, signal.SIGSTOP)
    announce(box, device)
    if label_of(box, device):
        raise Failure("udev knows the volume")
    os.kill(manager, signal.SIGKILL)
    box.killed_managers += 1
    check_untouched(box, device, pid)

    box.run("wipefs", "--quiet", "--all", device)
    box.wait_state("one", "waiting")
