#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""1,000 trivial services: the time from the change of runlevel until all are ready, compared with a
bare posix_spawn loop in the same sandbox."""

import json
import os
import statistics

from deadline import wait_for
from sandbox import Sandbox, memory_of

N_SERVICES = 1000
ROUNDS = 5
PROGRAMS = os.environ["SVCD_BUILD"] + "/tests/bench"
NAMES = [f"s{number}" for number in range(N_SERVICES)]

files = {f"/usr/local/bin/{name}": {"copy": f"{PROGRAMS}/{name}", "mode": 0o755} for name in ("pauser", "spawn-floor")}
services = {name: "[Service]\nExec=/usr/local/bin/pauser\n" for name in NAMES}
policy = "[runlevel 2]\n[runlevel 3]\n" + "".join(f"Activate={name}\n" for name in NAMES)


def all_in(box, state):
    rows = box.services()
    return all(rows[name]["state"] == state for name in NAMES) and rows


def one_round(box):
    """Microseconds from the first start to the last service ready, as svcd has recorded them."""
    box.svcctl("runlevel", "3")
    rows = wait_for(lambda: all_in(box, "ready"), 120, "all are ready")
    ready = [rows[name]["since_us"] for name in NAMES]
    started = [rows[name]["since_us"] - (rows[name]["ready_duration_us"] or 0) for name in NAMES]
    took = max(ready) - min(started)
    memory = {"keeper": memory_of(box.pid1), "manager": memory_of(box.manager_pid())}
    box.svcctl("runlevel", "2")
    wait_for(lambda: all_in(box, "idle"), 120, "all are stopped")
    return took, memory


with Sandbox(services, policy=policy, files=files) as box:
    box.wait_at_rest()
    svcd_us, floor_us = [], []
    for _round in range(ROUNDS):
        took, memory = one_round(box)
        svcd_us.append(took)
        floor_us.append(int(box.run("/usr/local/bin/spawn-floor", "/usr/local/bin/pauser", str(N_SERVICES)).stdout))

print(json.dumps({
    "bench": "spawn", "services": N_SERVICES, "rounds": ROUNDS,
    "svcd_ms": {"min": min(svcd_us) / 1000, "median": statistics.median(svcd_us) / 1000, "max": max(svcd_us) / 1000},
    "floor_ms": {"min": min(floor_us) / 1000, "median": statistics.median(floor_us) / 1000, "max": max(floor_us) / 1000},
    "ratio": round(statistics.median(svcd_us) / statistics.median(floor_us), 2),
    "memory_kib": memory,
}))
