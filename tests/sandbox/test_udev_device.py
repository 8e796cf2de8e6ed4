#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""uuid:, device: and udev: follow a real device; a condition on a missing device is unknown before
udevd runs, and false afterwards."""

import os
import uuid

from deadline import wait_for
from sandbox import Failure, Sandbox

LABEL = f"dev-{os.getpid()}"
UUID = str(uuid.uuid4())

CONDITIONS = {
    "by-uuid": f"uuid:{UUID.upper()}",
    "by-link": f"device:/dev/disk/by-label/{LABEL}",
    "by-match": f"udev:SUBSYSTEM=block ID_FS_TYPE=ext? ID_FS_LABEL={LABEL}",
    "by-wide-match": f"udev:ID_FS_LABEL={LABEL}*",
}

services = {name: f"[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile={condition}\n"
            for name, condition in CONDITIONS.items()}


def all_are(state):
    rows = box.services()
    return all(rows[name]["state"] == state for name in CONDITIONS)


policy = "[runlevel 2]\n" + "".join(f"Activate={name}\n" for name in CONDITIONS)
with Sandbox(services, policy=policy, udev=True) as box:
    wait_for(lambda: all_are("waiting"), what="all wait")
    for name in CONDITIONS:
        explained = box.svcctl("explain", name).stdout
        if "udev is not running" not in explained:
            raise Failure(explained)

    box.svcctl("start", "--wait", "udevd")
    wait_for(lambda: "no device matches" in box.svcctl("explain", "by-match").stdout, what="the device is known to be missing")

    device = box.attach(box.volume(LABEL, "-U", UUID))
    wait_for(lambda: all_are("ready"), what="all are ready")

    box.detach(device)
    wait_for(lambda: all_are("waiting"), what="all wait again")
