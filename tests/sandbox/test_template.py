#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A template makes an instance for each name that is used; %i is the part after the @."""

from deadline import wait_for
from sandbox import Sandbox

TEXT = "[Service]\nDescription=Worker %i\nExec=/bin/sh -c \"echo %i >/run/is-%i; exec sleep infinity\"\n"

with Sandbox({"worker@": TEXT}, policy="[runlevel 2]\nActivate=worker@one\n") as box:
    box.wait_state("worker@one", "ready")
    wait_for(lambda: box.exists("/run/is-one"), what="the instance ran")

    box.svcctl("start", "worker@two")
    box.wait_state("worker@two", "ready")
    assert box.pid("worker@one") != box.pid("worker@two")
    assert "Worker two" in box.svcctl("status", "worker@two").stdout
