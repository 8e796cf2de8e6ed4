#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ready=fd:N: the service is ready at the first newline on that descriptor."""

from sandbox import Sandbox

TEXT = "[Service]\nExec=/bin/sh -c \"while [ ! -e /run/go ]; do sleep 0.05; done; echo up >&5; exec sleep infinity\"\n" \
       "Ready=fd:5\n"

with Sandbox({"a": TEXT}) as box:
    box.wait_state("a", "starting")
    box.kill_manager()
    box.wait_state("a", "starting")

    box.write("/run/go", "")
    box.wait_state("a", "ready")
