#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The manager is killed at random moments while services start and stop: nothing runs twice, nothing is lost. limit: 600"""

import os
import random
import signal
import time

from deadline import wait_for
from sandbox import Sandbox

ROUNDS = int(os.environ.get("SVCD_TEST_ROUNDS", "40"))
SEED = int(os.environ.get("SVCD_TEST_SEED", "1"))
N_SERVICES = 12

# Says when it starts while another of its name runs: a directory is made by one only.
GUARD = """#!/bin/sh
mkdir /run/only-$1 || echo "$1 started twice" >>/run/doubles
trap 'rmdir /run/only-'$1'; exit 0' TERM
while :; do sleep 0.02; done
"""
DAEMONS = [f"d{number}" for number in range(N_SERVICES)]
TASKS = [f"t{number}" for number in range(N_SERVICES)]
SERVICES = {name: f"[Service]\nExec=/usr/local/bin/guard {name}\n" for name in DAEMONS}
SERVICES.update({name: f"[Service]\nType=task\nExec=/bin/sh -c \"echo {name} >>/run/tasks\"\n[Conditions]\nAfter=d{name[1:]}\n"
                 for name in TASKS})
POLICY = "[runlevel 2]\n" + "".join(f"Activate={name}\n" for name in TASKS) + \
         "[runlevel 3]\nInclude=2\n" + "".join(f"Activate={name}\n" for name in DAEMONS)

chance = random.Random(SEED)
print(f"seed {SEED}")
with Sandbox(SERVICES, policy=POLICY, files={"/usr/local/bin/guard": {"text": GUARD, "mode": 0o755}}) as box:
    for number in range(ROUNDS):
        box.svcctl("runlevel", "3" if number % 2 == 0 else "2", check=False)
        # A moment, not a wait: the kill is to hit at any point of what follows.
        time.sleep(chance.random() * 0.05)
        manager = wait_for(box.manager_pid, what="there is a manager")
        try:
            os.kill(manager, signal.SIGKILL)
            box.killed_managers += 1
        except ProcessLookupError:
            pass
        wait_for(lambda: box.manager_pid() not in (0, manager), what="there is another manager")
        box.wait_up()
        box.wait_at_rest()

    runlevel = box.overview()["runlevel"]
    expected = "ready" if runlevel == "3" else "idle"
    rows = box.services()
    assert not [name for name in DAEMONS if rows[name]["state"] != expected], (runlevel, rows)
    assert not [name for name in TASKS if rows[name]["state"] != "done"], rows
    assert not box.exists("/run/doubles"), box.read("/run/doubles")
    assert sorted(box.read("/run/tasks").split()) == sorted(TASKS), box.read("/run/tasks")
    running = [row for row in box.processes().values() if row[2] == "guard"]
    assert len(running) == (N_SERVICES if runlevel == "3" else 0), running
