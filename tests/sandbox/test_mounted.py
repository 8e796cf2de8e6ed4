#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""mounted:/x follows the table of mounts."""

import os

from sandbox import Sandbox

with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=mounted:/srv\n"}) as box:
    box.wait_state("a", "waiting")
    os.makedirs(box.path("/srv"), exist_ok=True)

    box.run("mount", "-t", "tmpfs", "none", "/srv")
    box.wait_state("a", "ready")

    box.run("umount", "/srv")
    box.wait_state("a", "waiting")
