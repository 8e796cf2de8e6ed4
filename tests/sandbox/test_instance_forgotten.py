#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""An instance that was started by hand and stopped is forgotten at the next reading of the files.
"""

from deadline import wait_for
from sandbox import Sandbox

with Sandbox({"echo@": "[Service]\nExec=/bin/sleep infinity\n"}) as box:
    box.svcctl("start", "echo@one")
    box.svcctl("start", "echo@two")
    box.wait_states({"echo@one": "ready", "echo@two": "ready"})

    box.svcctl("stop", "echo@one")
    box.wait_state("echo@one", "idle")
    box.svcctl("reload-files")

    wait_for(lambda: "echo@one" not in box.services(), what="the stopped instance is gone")
    assert box.state("echo@two") == "ready"
