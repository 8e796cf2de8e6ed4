#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""More events arrive than the kernel keeps: the manager reports this once and lists the devices
again, and each condition is correct."""

import os
import signal

from deadline import wait_for
from sandbox import Failure, Sandbox

STAYS, COMES, GHOST = (f"{word}-{os.getpid()}" for word in ("stays", "comes", "ghost"))
LOST = "device events were lost; all devices are read again"

# With the kernel's overhead per event, this is far more than the limit of 16 MiB.
EVENTS = 60000


def service(label):
    return f"[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=label:{label}\n"


with Sandbox({"stays": service(STAYS), "comes": service(COMES), "ghost": service(GHOST)}, udev=True) as box:
    box.wait_state("udevd", "ready")
    box.attach(box.volume(STAYS))
    box.wait_states({"stays": "ready", "comes": "waiting", "ghost": "waiting"})
    pid = box.pid("stays")
    image = box.volume(COMES)

    # The manager is stopped for less than the time after which the keeper considers it hanging.
    manager = box.manager_pid()
    os.kill(manager, signal.SIGSTOP)
    box.send_events(EVENTS, "change", "/devices/virtual/block/ghost0", "SUBSYSTEM=block", "DEVNAME=/dev/ghost0",
                    f"ID_FS_LABEL_ENC={GHOST}", "FILLING={}")
    box.attach(image)
    box.run("udevadm", "settle")
    os.kill(manager, signal.SIGCONT)

    # Only the list of devices shows the last volume, and that the ghost does not exist.
    box.wait_states({"stays": "ready", "comes": "ready"})
    wait_for(lambda: box.console().count(LOST) == 1, what="the loss is reported")
    box.wait_state("ghost", "waiting")
    if box.pid("stays") != pid:
        raise Failure("a service whose volume was there all the time was restarted")
