#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""KillMode=process: processes left by the main process outlive a stop and a restart, like a session
of sshd."""

from deadline import wait_for
from sandbox import Sandbox

LISTENER = """[Service]
Exec=/bin/sh -c "setsid sleep infinity & echo $! >/run/session; exec sleep infinity"
KillMode=process
"""

with Sandbox({"listener": LISTENER}) as box:
    box.wait_state("listener", "ready")
    wait_for(lambda: box.exists("/run/session") and box.read("/run/session").strip(), what="a session exists")
    session = int(box.read("/run/session"))
    main = box.pid("listener")

    box.svcctl("restart", "listener")
    box.wait_state("listener", "ready")
    assert box.pid("listener") != main
    assert box.is_alive(session), "the restart ended the session"

    box.svcctl("stop", "listener")
    box.wait_state("listener", "idle")
    assert box.is_alive(session), "the stop ended the session"
