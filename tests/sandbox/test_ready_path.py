#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ready=path:/x: the service is ready when the daemon has made its socket or file."""

from sandbox import Sandbox

TEXT = "[Service]\nExec=/bin/sh -c \"while [ ! -e /run/go ]; do sleep 0.05; done; mkdir /run/d; echo >/run/d/socket; " \
       "exec sleep infinity\"\nReady=path:/run/d/socket\n"

with Sandbox({"a": TEXT}) as box:
    box.wait_state("a", "starting")
    box.write("/run/go", "")
    box.wait_state("a", "ready")
