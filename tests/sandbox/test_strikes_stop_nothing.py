#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
After early deaths a manager starts without notes, and later also without the admin's files. In the
end PID 1 starts managers only at long intervals.

The manager that survives stops no service, neither services that policy wants nor requested ones.
"""

import os
import signal

from deadline import wait_for
from sandbox import Sandbox

MANAGER = "/usr/lib/svcd/svcd-manager"
SERVICES = {name: "[Service]\nExec=/bin/sleep infinity\n" for name in ("wanted", "asked")}
FILES = {
    MANAGER: {"copy": os.environ["SVCD_BUILD"] + "/tests/lib/kill-point", "mode": 0o755},
    f"{MANAGER}.real": {"copy": os.environ["SVCD_STAGE"] + MANAGER, "mode": 0o755},
}
# The number of early deaths; every third one has a consequence.
WORDS = {3: "without its notes", 6: "without notes and without the files in /etc and /run", 9: "services stay as they are"}


def strike(box, count):
    """Make this number of managers die, the first of them at its first write."""
    box.write("/run/kill-point", f"1 {count} {signal.SIGSEGV}\n")
    box.kill_manager(signal.SIGKILL, wait=False)
    wait_for(lambda: box.read("/run/kill-point").startswith(f"{count + 1} "), what="all have died")
    box.wait_up(60)


for n_deaths, words in WORDS.items():
    with Sandbox(SERVICES, policy="[runlevel 2]\nActivate=wanted\n", files=FILES, expect_crash=True) as box:
        box.wait_state("wanted", "ready")
        box.svcctl("start", "asked")
        pids = {name: box.pid(name) for name in SERVICES}
        strike(box, n_deaths)
        assert words in box.console(), box.console()
        box.wait_at_rest()
        assert {name: box.pid(name) for name in SERVICES} == pids, box.svcctl("list", "--all").stdout
        assert {row["state"] for name, row in box.services().items() if name in SERVICES} == {"ready"}
        # The next manager gets all notes and files, and finds the services unchanged.
        box.svcctl("reexec")
        box.wait_up()
        box.wait_at_rest()
        assert {name: box.pid(name) for name in SERVICES} == pids
        box.svcctl("stop", "asked")
        assert box.state("asked") == "idle"
