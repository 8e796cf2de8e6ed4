#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Device events from senders other than udevd start and stop nothing.

The kernel does not deliver events of a plain user. This test sends them as a user with
CAP_NET_ADMIN, and as root to the manager's socket only.
"""

import os
import subprocess

from sandbox import HERE, Failure, Sandbox

REAL, GHOST = f"real-{os.getpid()}", f"ghost-{os.getpid()}"
KOBJECT_UEVENT = 15
GROUP_UDEV = 2

AS_USER = ("setpriv", "--reuid=1000", "--regid=1000", "--clear-groups")
WITH_NET_ADMIN = (*AS_USER, "--inh-caps=+net_admin", "--ambient-caps=+net_admin")


def service(label):
    return f"[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=label:{label}\n"


def ports(box):
    """The ports of the sockets that listen to udev."""
    with open(f"/proc/{box.pid1}/net/netlink", encoding="ascii") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    return [int(row[2]) for row in rows if int(row[1]) == KOBJECT_UEVENT and int(row[3], 16) & GROUP_UDEV]


def send(box, who, *words):
    # The program comes on standard input, because a user may be unable to read this tree.
    with open(f"{HERE}/fake_udev.py", encoding="utf-8") as program:
        done = subprocess.run(["nsenter", f"--target={box.pid1}", "--net", "--", *who, "/usr/bin/python3", "-", *words],
                              check=False, timeout=60, capture_output=True, text=True, stdin=program)
    return done.stderr


def forge(box, who, *to):
    """Announce a volume that does not exist, and the end of the real one. Returns the kernel's
    answer."""
    said = [send(box, who, *to, "1", "0", action, f"/devices/virtual/block/{label}", "SUBSYSTEM=block", f"DEVNAME=/dev/{label}",
                 "ID_FS_TYPE=ext4", f"ID_FS_LABEL_ENC={label}") for action, label in (("add", GHOST), ("remove", REAL))]
    return "".join(said)


with Sandbox({"real": service(REAL), "ghost": service(GHOST), "last": service("last")}, udev=True) as box:
    box.wait_states({"udevd": "ready", "real": "waiting", "ghost": "waiting"})
    box.wait_udev_known("real")
    box.send_events(1, "add", f"/devices/virtual/block/{REAL}", "SUBSYSTEM=block", "ID_FS_TYPE=ext4", f"ID_FS_LABEL_ENC={REAL}")
    box.wait_state("real", "ready")
    pid = box.pid("real")

    listeners = [f"--to={port}" for port in ports(box)]
    if not listeners:
        raise Failure("no process listens to udev")
    for to in ([], *([one] for one in listeners)):
        if "PermissionError" not in (said := forge(box, AS_USER, *to)):
            raise Failure(f"a user may send device events {to}: {said}")
        if said := (forge(box, WITH_NET_ADMIN, *to) + (forge(box, (), *to) if to else "")):
            raise Failure(f"not sent {to}: {said}")

    # This event waits in the same queue behind all the forged events.
    box.send_events(1, "add", "/devices/virtual/block/last", "SUBSYSTEM=block", "ID_FS_TYPE=ext4", "ID_FS_LABEL_ENC=last")
    box.wait_state("last", "ready")
    box.wait_at_rest()
    if box.state("ghost") != "waiting" or box.pid("real") != pid:
        raise Failure(f"a forged event was believed: ghost is {box.state('ghost')}, real is {box.state('real')}")
