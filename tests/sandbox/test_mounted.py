#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""mounted:/x follows the table of mounts, and path: notices the files that a mount covers or
uncovers."""

import os

from sandbox import Sandbox


def waits_for(term):
    return f"[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile={term}\n"


SERVICES = {
    "a": waits_for("mounted:/srv"),
    "below": waits_for("path:/srv/deep/file"),
    "linked": waits_for("path:/by-link/file"),
    "elsewhere": waits_for("path:nonempty:/media"),
}

with Sandbox(SERVICES) as box:
    for directory in ("/srv", "/media", "/mnt"):
        os.makedirs(box.path(directory), exist_ok=True)
    box.run("mount", "-t", "tmpfs", "none", "/mnt")
    box.run("mkdir", "/mnt/deep")
    box.run("touch", "/mnt/deep/file")
    box.run("ln", "-s", "srv/deep", "/by-link")
    box.wait_states(dict.fromkeys(SERVICES, "waiting"))

    box.run("mount", "--bind", "/mnt", "/srv")
    box.wait_states({"a": "ready", "below": "ready", "linked": "ready", "elsewhere": "waiting"})

    # One mount on top of the other: the mount point is the same, but the files below it are not.
    box.run("mount", "-t", "tmpfs", "none", "/srv")
    box.wait_states({"a": "ready", "below": "waiting", "linked": "waiting"})
    box.run("umount", "/srv")
    box.wait_states({"below": "ready", "linked": "ready"})

    box.run("umount", "/srv")
    box.wait_states({"a": "waiting", "below": "waiting", "linked": "waiting"})

    box.run("mount", "--bind", "/mnt", "/media")
    box.wait_state("elsewhere", "ready")
    box.run("umount", "/media")
    box.wait_state("elsewhere", "waiting")
