#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""When its label vanishes, a volume is unmounted after its dependents have stopped, however long
that takes; the unmount is not lazy."""

import os

from sandbox import Failure, Sandbox

# Loop devices belong to the machine: no other test may have these labels.
LABEL, OTHER = f"vol-{os.getpid()}", f"oth-{os.getpid()}"
MOUNT = "mount-srv-data"
POLICY = f"""[runlevel 2]
Activate=udevd user mount-srv-data
[service {MOUNT}]
Ignore=virtual:container
"""
USER = """[Service]
Exec=/bin/sh -c "cd /srv/data; trap 'sleep 5; echo bye >last-word; mountpoint /srv/data >/dev/console; exit 0' TERM; while :; do sleep 0.05; done"
StopTimeout=60s
[Conditions]
While=mounted:/srv/data
"""

with Sandbox({"user": USER}, policy=POLICY, udev=True) as box:
    box.make_mount(f"LABEL={LABEL} /srv/data ext4 nofail 0 0", MOUNT)
    box.wait_states({"udevd": "ready", MOUNT: "waiting", "user": "waiting"})
    box.wait_udev_known(MOUNT)
    device = box.attach(box.volume(LABEL))
    box.wait_states({MOUNT: "done", "user": "ready"})

    # e2label asks the kernel to write the label of a mounted volume, and udev gets no event.
    box.run("e2label", device, OTHER)
    box.run("udevadm", "trigger", "--action=change", device)
    box.wait_states({MOUNT: "waiting", "user": "waiting"})

    if "/srv/data is a mountpoint" not in box.console() or "/srv/data is not" in box.console():
        raise Failure("the volume was unmounted below its service")
    if box.run("mountpoint", "-q", "/srv/data", check=False).returncode == 0:
        raise Failure("the volume is still mounted")
    if "detached" in box.svcctl("log", MOUNT).stdout:
        raise Failure("the volume was detached, and not unmounted")

    box.run("e2label", device, LABEL)
    box.run("udevadm", "trigger", "--action=change", device)
    box.wait_states({MOUNT: "done", "user": "ready"})
    assert box.run("cat", "/srv/data/last-word").stdout == "bye\n"
