#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""/run/svcd can be removed under a running svcd: SIGUSR1 or the next manager makes svcctl work again."""

import os
import signal

from deadline import wait_for
from sandbox import Sandbox

TELLER = "#!/bin/sh\n[ -S \"$NOTIFY_SOCKET\" ] && touch /run/has-socket\nexec sleep infinity\n"

with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n", "n": "[Service]\nReady=notify\nExec=/usr/local/bin/teller\n"},
             policy="[runlevel 2]\nActivate=a\n",
             files={"/usr/local/bin/teller": {"text": TELLER, "mode": 0o755}}) as box:
    box.wait_state("a", "ready")
    pid = box.pid("a")

    box.run("rm -r /run/svcd")
    assert box.svcctl("list", check=False).returncode == 9
    os.kill(box.pid1, signal.SIGUSR1)
    box.wait_up()
    assert box.pid("a") == pid

    box.run("rm -r /run/svcd")
    box.kill_manager()
    assert box.pid("a") == pid
    box.svcctl("start", "n", "--no-wait")
    wait_for(lambda: box.exists("/run/has-socket"), what="the service has its notify socket")
