#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""udevd is killed, stopped and started again under a storm of events: devices stay, and in the end
all levels are correct."""

import os
import subprocess

from deadline import wait_for
from sandbox import Failure, Sandbox

STAYS, GOES, COMES = (f"{word}-{os.getpid()}" for word in ("stays", "goes", "comes"))
ROUNDS = 5

# Change events of the test's devices, as fast as udev handles them.
STORM = "while :; do udevadm trigger --action=change {names}; done"


def service(label):
    return f"[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=label:{label}\n"


with Sandbox({"stays": service(STAYS), "goes": service(GOES), "comes": service(COMES)}, udev=True) as box:
    box.wait_state("udevd", "ready")
    stays, goes = box.attach(box.volume(STAYS)), box.attach(box.volume(GOES))
    box.wait_states({"stays": "ready", "goes": "ready", "comes": "waiting"})
    pid = box.pid("stays")

    names = " ".join(f"--sysname-match={os.path.basename(device)}" for device in (stays, goes))
    storm = subprocess.Popen(box.command(["/bin/sh", "-c", STORM.format(names=names)]))
    try:
        for _round in range(ROUNDS):
            box.kill(box.pid("udevd"))
            box.wait_state("udevd", "failed")
            box.svcctl("start", "--wait", "udevd")
    finally:
        storm.kill()
        storm.wait()

    # udevd is stopped for good: no service stops, and no new level is trusted.
    box.svcctl("stop", "udevd")
    box.wait_state("udevd", "idle")
    if box.pid("stays") != pid or box.state("goes") != "ready":
        raise Failure("a service was stopped because udevd was silent")
    wait_for(lambda: "udev is not running" in box.svcctl("explain", "comes").stdout, what="the level of a missing volume is unknown")

    # Changes meanwhile are seen when udevd is back and has read the devices, as at boot.
    box.detach(goes)
    comes = box.attach(box.volume(COMES))
    box.svcctl("start", "--wait", "udevd")
    box.run("udevadm", "trigger", *(f"--sysname-match={os.path.basename(device)}" for device in (goes, comes)))
    box.wait_states({"stays": "ready", "goes": "waiting", "comes": "ready"})
    if box.pid("stays") != pid:
        raise Failure("a service whose volume was there all the time was restarted")
