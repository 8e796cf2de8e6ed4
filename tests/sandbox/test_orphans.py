#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""PID 1 reaps all orphans: no zombie stays."""

from deadline import wait_for
from sandbox import Sandbox

N_ORPHANS = 500
STORM = f"i=0; while [ $i -lt {N_ORPHANS} ]; do (true &) ; i=$((i+1)); done"

with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n"}) as box:
    box.wait_state("a", "ready")
    box.run("/bin/sh", "-c", STORM)

    wait_for(lambda: not [row for row in box.processes().values() if row[3] == "Z"], what="there is no zombie")
    assert box.state("a") == "ready"
