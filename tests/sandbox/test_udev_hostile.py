#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""svcd treats names from a device only as text, even control characters, invalid UTF-8 and
thousands of bytes.
"""

import os

from sandbox import Failure, Sandbox

GOOD = f"good-{os.getpid()}"

NASTY = (
    "ID_FS_LABEL_ENC=\\x1b[2J\\x0aServices:\\xff",
    "ID_FS_LABEL_ENC=" + "x" * 7000,
    "ID_FS_LABEL_ENC=\udcff\udcfe\n\x1b]0;title\x07",
    "ID_FS_LABEL_ENC=\\x00\\x",
    "ID_FS_LABEL_ENC=",
    "DEVLINKS=" + "/dev/disk/by-label/a " * 300,
    "NONSENSE",
)

with Sandbox({
    "good": f"[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=label:{GOOD}\n",
    "nasty": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=udev:SUBSYSTEM=block ID_FS_LABEL_ENC=?*zz\n",
}, udev=True) as box:
    box.wait_states({"udevd": "ready", "good": "waiting", "nasty": "waiting"})
    box.wait_udev_known("good")

    for number, text in enumerate(NASTY):
        box.send_events(1, "add", f"/devices/virtual/block/nasty{number}", "SUBSYSTEM=block", text,
                        f"DEVNAME=/dev/nasty{number}\n\x1b[31m")
    box.send_events(1, "add", "/devices/virtual/block/good", "SUBSYSTEM=block", f"ID_FS_LABEL_ENC={GOOD}",
                    "DEVNAME=/dev/\x1b[31mgood")
    box.wait_state("good", "ready")

    for line in (box.svcctl("explain", "nasty"), box.svcctl("explain", "good"), box.svcctl("list", "--all")):
        if "\x1b" in line.stdout or any(len(part) > 2000 for part in line.stdout.splitlines()):
            raise Failure(repr(line.stdout))
    if box.state("nasty") != "waiting":
        raise Failure("a pattern matched a wrong device")
    box.send_events(1, "remove", "/devices/virtual/block/good", "SUBSYSTEM=block", f"ID_FS_LABEL_ENC={GOOD}")
    box.wait_state("good", "waiting")
