#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A service that is not ready in time has failed, its processes are gone, and explain gives the
reason."""

from sandbox import Sandbox

TEXT = "[Service]\nExec=/bin/sleep infinity\nReady=notify\nStartTimeout=1s\nRestart=no\n"

with Sandbox({"a": TEXT}) as box:
    pid = box.wait_state("a", "starting", "stopping", "failed").get("pid")
    box.wait_state("a", "failed")
    assert not pid or not box.is_alive(pid)
    assert "ready" in box.svcctl("explain", "a").stdout
