#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each change of a service's state is logged once; a new manager does not repeat lines."""

from sandbox import Sandbox

with Sandbox({"once": "[Service]\nExec=/bin/sleep infinity\n"}) as box:
    box.wait_state("once", "ready")
    box.wait_console("once: ready after")

    for _round in range(3):
        box.kill_manager()
        box.wait_at_rest()
    box.svcctl("stop", "once")
    box.wait_console("once: stopping: stop by uid 0")
    assert box.console().count("once: ready") == 1, box.console()
