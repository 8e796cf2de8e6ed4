#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tests' sandboxes have the protection of files, FIFOs and links that Debian's procps sets."""

import sysctls
from sandbox import Sandbox

with Sandbox() as box:
    for name, value in sysctls.VALUES.items():
        assert box.read(f"/proc/sys/fs/{name}").strip() == value, f"{name} is not {value}"

    # In /tmp, root cannot open another user's file for writing with O_CREAT.
    box.write("/tmp/log", "")
    box.run("chown nobody /tmp/log")
    assert box.run("echo x >>/tmp/log", check=False).returncode != 0
