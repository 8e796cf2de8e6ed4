#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A failed Prepare= prevents the start of the main process, and Cleanup= still runs."""

from deadline import wait_for
from sandbox import Sandbox

TEXT = """[Service]
Prepare=/bin/sh -c "exit 5"
Exec=/bin/sh -c "echo >/run/started; exec sleep infinity"
Cleanup=/bin/sh -c "echo >/run/cleaned"
Restart=no
"""

with Sandbox({"a": TEXT}) as box:
    box.wait_state("a", "failed")
    wait_for(lambda: box.exists("/run/cleaned"), what="Cleanup= ran")
    assert not box.exists("/run/started")
    assert "5" in box.svcctl("explain", "a").stdout
