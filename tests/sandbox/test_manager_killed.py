#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fifty services run; the manager is killed twenty times by different signals; no service is
affected."""

import signal

from sandbox import Sandbox

N_SERVICES = 50
N_KILLS = 20
SIGNALS = [signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP,
           signal.SIGSYS]
NAMES = [f"service-{number}" for number in range(N_SERVICES)]
KEPT = ("state", "pid", "restarts", "since_us", "invocation")

services = {name: "[Service]\nExec=/bin/sleep infinity\nRestart=always\n" for name in NAMES}
services["done"] = "[Service]\nType=task\nExec=/bin/true\n"


def seen(box):
    return {name: {key: row[key] for key in KEPT if key in row} for name, row in box.services().items()}


with Sandbox(services) as box:
    box.wait_states({**{name: "ready" for name in NAMES}, "done": "done"})
    # One of the services has a history: it was killed, and svcd restarted it.
    first = box.pid(NAMES[0])
    box.kill(first)
    box.wait_state(NAMES[0], "ready")
    while box.pid(NAMES[0]) in (0, first):
        pass
    box.wait_state(NAMES[0], "ready")
    before = seen(box)
    assert before[NAMES[0]]["restarts"] == 1, before[NAMES[0]]
    assert len({row["pid"] for row in before.values() if row.get("pid")}) == N_SERVICES

    for number in range(N_KILLS):
        box.kill_manager(SIGNALS[number % len(SIGNALS)])
        box.wait_at_rest()
        after = seen(box)
        assert after == before, {name: (before[name], after.get(name)) for name in before if before[name] != after.get(name)}
    assert all(box.is_alive(row["pid"]) for row in before.values() if row.get("pid"))
