#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""An init script that is only for the shutdown does not run at boot. At the shutdown it stops after
the scripts in its X-Stop-After field.
"""

from sandbox import Sandbox

SCRIPT = """#!/bin/sh
### BEGIN INIT INFO
# Provides: {name}
# Required-Start:
# Required-Stop:
{more}
# Default-Stop: 0 6
# Short-Description: a test
### END INIT INFO
echo "{name} is told to $1" >/dev/console
"""


def script(name, *lines):
    return {"text": SCRIPT.format(name=name, more="\n".join(lines)), "mode": 0o755}


FILES = {
    "/etc/init.d/wait-idle": script("wait-idle", "# Default-Start:", "# X-Stop-After: disks"),
    "/etc/init.d/disks": script("disks", "# Default-Start: S"),
}

with Sandbox({}, policy="[defaults]\nRcLinks=yes\n", files=FILES) as box:
    box.wait_states({"disks": "done", "wait-idle": "done"})
    assert "wait-idle is told to" not in box.console(), box.console()

    box.shut_down("poweroff")
    box.wait_end()
    box.wait_console("wait-idle is told to stop")
    told = [line for line in box.console().splitlines() if "is told to" in line]
    assert told == ["disks is told to start", "disks is told to stop", "wait-idle is told to stop"], told
