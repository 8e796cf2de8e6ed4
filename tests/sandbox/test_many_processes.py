#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A service of two thousand processes: all get the signal to end, and none has to be killed."""

from deadline import wait_for
from sandbox import Sandbox

COUNT = 2000
MANY = f"#!/bin/sh\ni=0\nwhile [ $i -lt {COUNT} ]; do sleep 1000 & i=$((i+1)); done\ntouch /run/go\nwait\n"

with Sandbox({"many": "[Service]\nExec=/usr/local/bin/many\nStopTimeout=20s\n"},
             files={"/usr/local/bin/many": {"text": MANY, "mode": 0o755}}) as box:
    wait_for(lambda: box.exists("/run/go"), what="all are there")

    box.svcctl("stop", "many")

    box.wait_state("many", "idle")
    assert "killing it" not in box.console(), box.console()
