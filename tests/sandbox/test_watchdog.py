#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A daemon that stops feeding its watchdog is aborted and restarted; a daemon that feeds it
survives replacements of the manager."""

import signal

from deadline import wait_for
from sandbox import Sandbox

# Feeds until /run/hang-NAME exists; then it hangs, once.
FEEDER = """import os, socket, sys, time
say = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
say.connect(os.environ["NOTIFY_SOCKET"])
assert os.environ["WATCHDOG_PID"] == str(os.getpid())
say.send(b"READY=1")
hang = "/run/hang-" + sys.argv[1]
while not os.path.exists(hang):
    say.send(b"WATCHDOG=1")
    time.sleep(int(os.environ["WATCHDOG_USEC"]) / 3e6)
os.rename(hang, hang + ".seen")
time.sleep(1000)
"""

SERVICE = """[Service]
Exec=/usr/bin/python3 /etc/feeder.py {}
Ready=notify
Restart=on-failure
LimitCORE=0
WatchdogTimeout=2s
"""

SERVICES = {"fed": SERVICE.format("fed"), "hung": SERVICE.format("hung")}

with Sandbox(SERVICES, files={"/etc/feeder.py": FEEDER}) as box:
    box.wait_states({"fed": "ready", "hung": "ready"})
    fed, hung = box.pid("fed"), box.pid("hung")

    box.write("/run/hang-hung", "")
    for _ in range(3):
        box.kill_manager(signal.SIGKILL)
        box.wait_at_rest()

    wait_for(lambda: box.state("hung") == "ready" and box.pid("hung") not in (0, hung), what="it is started again")
    assert box.exists("/run/hang-hung.seen")
    row = box.service("hung")
    assert row["result"] == "no WATCHDOG=1 for 2.0 s (WatchdogTimeout=), aborted", row
    assert box.pid("fed") == fed
    assert "after ABRT: killed by signal ABRT" in box.console()
