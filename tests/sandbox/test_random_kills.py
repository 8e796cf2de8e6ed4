#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
The manager of two hundred busy services (busy.py) is killed at random moments, often during its
start. limit: 900

Causes: SEGV, ABRT, KILL, and lack of memory. Nothing runs twice, nothing is lost, and requests get
answers again.
"""

import os
import random
import signal
import time

from busy import BusySandbox
from cgroups import MemoryLimit

ROUNDS = int(os.environ.get("SVCD_TEST_ROUNDS", "300"))
SEED = int(os.environ.get("SVCD_TEST_SEED", "1"))
# PID 1 permits thirty deaths a minute.
BATCH = 24
KINDS = ("SEGV", "ABRT", "KILL", "memory")


class Killer:
    def __init__(self, busy, memory):
        self.busy = busy
        self.memory = memory
        self.chance = random.Random(SEED)
        self.counts = dict.fromkeys(KINDS, 0)
        self.n_early = 0
        self.n_strikes = 0
        self.answers_s = []

    def choose(self, is_early):
        """A third early death by a fault would make managers start without notes, so it is a
        SIGKILL."""
        kind = self.chance.choice(KINDS if self.memory.is_possible else KINDS[:3])
        if is_early and kind in ("SEGV", "ABRT"):
            self.n_strikes += 1
            if self.n_strikes > 2:
                kind = "KILL"
        elif not is_early:
            self.n_strikes = 0
        return kind

    def kill(self, kind):
        busy = self.busy
        self.counts[kind] += 1
        if kind != "memory":
            return busy.kill_manager(getattr(signal, "SIG" + kind))
        while True:
            old = busy.manager()
            if old and self.memory.starve(old):
                busy.box.killed_managers += 1
                return old
            time.sleep(0.001)

    def round(self):
        is_early = self.chance.random() < 0.67
        if is_early:
            # A random moment between its start and its first answer.
            time.sleep(self.chance.random() * 0.08)
            self.n_early += 1
        else:
            self.busy.wait_answer()
            self.n_strikes = 0
            time.sleep(self.chance.random() * 0.02)
        old = self.kill(self.choose(is_early))
        began = time.monotonic()
        self.busy.wait_other_manager(old)
        return began

    def batch(self, count):
        for _number in range(count):
            began = self.round()
            self.busy.check_workers()
        # The last manager of each batch is not killed. The time from its predecessor's death is the
        # outage that a user notices.
        self.busy.wait_answer()
        self.answers_s.append(time.monotonic() - began)
        self.busy.forgive()


def spread(values):
    values = sorted(values)
    return ", ".join(f"{name} {values[min(int(len(values) * part), len(values) - 1)] * 1000:.0f} ms"
                     for name, part in (("half within", 0.5), ("95 % within", 0.95), ("all within", 1)))


print(f"seed {SEED}")
with MemoryLimit() as memory, BusySandbox(SEED) as busy:
    killer = Killer(busy, memory)
    for first in range(0, ROUNDS, BATCH):
        killer.batch(min(BATCH, ROUNDS - first))
    busy.finish()
    print(f"{ROUNDS} managers killed ({killer.counts}), {killer.n_early} before they answered a client; "
          f"until the next one answered: {spread(killer.answers_s)}")
    print(busy.summary())
