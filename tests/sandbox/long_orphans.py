#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""30,000 orphans: all are reaped, and svcctl is answered meanwhile. limit: 400"""

from deadline import wait_for
from sandbox import Sandbox

STORM = "i=0; while [ $i -lt 30000 ]; do (true &) ; i=$((i+1)); done"

with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n",
              "storm": f"[Service]\nType=task\nExec=/bin/sh -c \"{STORM}\"\n"}) as box:
    pid = box.wait_state("a", "ready")["pid"]
    box.wait_state("storm", "done", seconds=300)
    wait_for(lambda: not [row for row in box.processes().values() if row[3] == "Z"], what="there is no zombie")
    assert box.pid("a") == pid
