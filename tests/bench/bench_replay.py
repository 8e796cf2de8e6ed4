#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The manager is killed while 1,000 services run: the time from the kill to the first answer of its
successor."""

import json
import signal
import statistics

from deadline import wait_for
from sandbox import Sandbox, memory_of

N_SERVICES = 1000
ROUNDS = 9
NAMES = [f"s{number}" for number in range(N_SERVICES)]

with Sandbox({name: "[Service]\nExec=/bin/sleep infinity\n" for name in NAMES}) as box:
    wait_for(lambda: all(row["state"] == "ready" for row in box.services().values()), 120, "all are ready")
    before = {name: row["pid"] for name, row in box.services().items()}
    seconds = []
    for _round in range(ROUNDS):
        box.wait_at_rest()
        seconds.append(box.kill_manager(signal.SIGKILL))
    assert {name: row["pid"] for name, row in box.services().items()} == before
    memory = {"keeper": memory_of(box.pid1), "manager": memory_of(box.manager_pid())}

print(json.dumps({
    "bench": "replay", "services": N_SERVICES, "rounds": ROUNDS,
    "kill_to_answer_ms": {"min": round(min(seconds) * 1000, 1), "median": round(statistics.median(seconds) * 1000, 1),
                          "max": round(max(seconds) * 1000, 1)},
    "memory_kib": memory,
}))
