#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
One manager after the other is killed: the first after its first message, read or write, the second
after two, and so on. limit: 900

Meanwhile services start, stop, send their readiness, fail and log. Nothing runs twice, nothing is
lost, and each request gets an answer.
"""

import os
import re
import signal

from deadline import wait_for
from patience import TELLER, ask, run_until_failed
from sandbox import Sandbox

LAST = int(os.environ.get("SVCD_TEST_POINTS", "300"))
BATCH = 25
MANAGER = "/usr/lib/svcd/svcd-manager"
PROGRAMS = os.environ["SVCD_BUILD"] + "/tests/lib"

# Reports a second copy of a service: only one process can make the directory.
GUARD = """#!/bin/sh
mkdir /run/only-$1 || echo "$1 started twice" >>/run/doubles
trap 'rmdir /run/only-'$1'; exit 0' TERM
while :; do sleep 0.02; done
"""
COUNTER = "#!/bin/sh\nn=0\nwhile :; do n=$((n + 1)); echo \"line $n\"; sleep 0.02; done\n"

STAY = [f"stay{number}" for number in range(10)]
SERVICES = {name: f"[Service]\nExec=/usr/local/bin/guard {name}\n" for name in STAY + ["move"]}
SERVICES |= {
    "tell": "[Service]\nExec=/usr/local/bin/teller\nReady=notify\nStartTimeout=1h\n",
    "after": "[Service]\nExec=/usr/local/bin/guard after\n[Conditions]\nWhile=service:tell\n",
    "end": "[Service]\nExec=/bin/sh -c \"exit $(cat /run/status)\"\nRestart=no\n",
    "task": "[Service]\nType=task\nExec=/bin/sh -c \"echo done >>/run/tasks\"\n",
    "count": "[Service]\nExec=/usr/local/bin/counter\n",
}
POLICY = "[runlevel 2]\n" + "".join(f"Activate={name}\n" for name in STAY + ["count"])


def deaths(box):
    """The numbers of the managers that died at their points."""
    return [int(line.split()[0]) for line in box.read("/run/kill-points").splitlines()] if box.exists("/run/kill-points") else []


def next_point(box):
    return int(box.read("/run/kill-point").split()[0])


def fail(box, status):
    """Make the service exit with that status."""
    box.write("/run/status", f"{status}\n")
    run_until_failed(box, "end")
    wait_for(lambda: f"status {status}" in box.svcctl("explain", "end").stdout, what=f"its status is known: {status}")


def one_round(box, number):
    ask(box, "start", "move")
    box.wait_state("move", "ready")
    ask(box, "start", "tell")
    box.wait_state("tell", "ready")
    fail(box, number % 250 + 1)
    ask(box, "start", "task")
    ask(box, "stop", "tell")
    box.wait_state("tell", "idle", "waiting")
    ask(box, "stop", "move")
    box.wait_state("move", "idle")


def sweep(box, first, last):
    """PID 1 permits thirty deaths a minute, and a voluntary exit resets that count."""
    box.write("/run/kill-point", f"{first} {last} {signal.SIGKILL}\n")
    box.kill_manager(wait=False)
    number = first
    # The last one needs some rounds to reach its point. Without them, reexec would end it.
    while next_point(box) <= last or last not in deaths(box) and number < last + BATCH:
        number += 1
        one_round(box, number)
    box.wait_at_rest()
    ask(box, "reexec")
    box.wait_up()


def check(box, pids):
    assert not box.exists("/run/doubles"), box.read("/run/doubles")
    assert {name: box.pid(name) for name in pids} == pids
    lines = [int(n) for n in re.findall(r"line (\d+)$", box.svcctl("log", "count", "-N", "1000000").stdout, re.MULTILINE)]
    assert lines, "there is no line of count"
    assert lines == list(range(lines[0], lines[-1] + 1)), "lines are missing or duplicated"


FILES = {
    "/usr/local/bin/guard": {"text": GUARD, "mode": 0o755},
    "/usr/local/bin/teller": {"text": TELLER, "mode": 0o755},
    "/usr/local/bin/counter": {"text": COUNTER, "mode": 0o755},
    MANAGER: {"copy": f"{PROGRAMS}/kill-point", "mode": 0o755},
    f"{MANAGER}.real": {"copy": os.environ["SVCD_STAGE"] + MANAGER, "mode": 0o755},
}

with Sandbox(SERVICES, policy=POLICY, files=FILES, expect_crash=True) as box:
    box.wait_states({name: "ready" for name in STAY + ["count"]})
    pids = {name: box.pid(name) for name in STAY + ["count"]}
    for first in range(1, LAST + 1, BATCH):
        sweep(box, first, min(first + BATCH - 1, LAST))
    check(box, pids)
    n_dead = len(deaths(box))
    assert n_dead >= LAST * 0.98, f"{n_dead} of {LAST} managers died as intended"
    print(f"{n_dead} managers died, the last one after {LAST} messages, reads or writes")
