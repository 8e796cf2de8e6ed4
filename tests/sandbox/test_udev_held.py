#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A user holds udev's database directory or a directory of /sys while the manager is replaced: the
next manager works.

It answers and restarts a killed service. Services with an existing volume continue, and after the
release the devices are known.
"""

import os

import attack
from attack import Attack
from deadline import wait_for
from sandbox import Failure, Sandbox

STAYS, COMES = (f"{word}-{os.getpid()}" for word in ("stays", "comes"))
TROUBLE = "devices cannot be read: "


def service(label):
    return f"[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=label:{label}\n"


def check_held(box, directory, must_be_held):
    pid = attack.main_pid(box, "stays")
    before = box.console().count(TROUBLE)
    with Attack(box, "hold-directory", directory, "writer", expect_held=must_be_held) as held:
        if not must_be_held:
            attack.wait_tried(box, held.mark)
        box.kill_manager()
        took = attack.check_responsive(box)
        if held.way == "fuse":
            wait_for(lambda: box.console().count(TROUBLE) == before + 1, what="the manager has tried to list the devices")
        attack.check_responsive(box)
        print(directory, held.way, {key: round(value, 3) for key, value in took.items()})
    wait_for(lambda: "no volume with that label" in box.svcctl("explain", "comes").stdout, what="the devices are known")
    if box.pid("stays") != pid:
        raise Failure("a service whose volume was there all the time was restarted")


SERVICES = {**attack.WITNESSES, "stays": service(STAYS), "comes": service(COMES)}

with Sandbox(SERVICES, files=attack.FILES, udev=True) as box:
    box.wait_states({"udevd": "ready", "victim": "ready", "comes": "waiting"})
    box.attach(box.volume(STAYS))
    box.wait_state("stays", "ready")

    check_held(box, "/run/udev/data", True)
    check_held(box, "/sys/class/block", False)

    device = box.attach(box.volume(COMES))
    box.wait_state("comes", "ready")
    box.detach(device)
    box.wait_state("comes", "waiting")
