#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A manager of two hundred busy services (busy.py) that hangs, stopped or in an endless loop, is
replaced without loss. limit: 900

A client that sends a request meanwhile gets its answer from the next manager, or the error that the
manager is gone.
"""

import os
import platform
import random
import signal
import time

from busy import BusySandbox
from deadline import wait_for

ROUNDS = int(os.environ.get("SVCD_TEST_ROUNDS", "4"))
SEED = int(os.environ.get("SVCD_TEST_SEED", "1"))
# The ping interval of PID 1, by default 5000. Three missed pings count as a hang.
PING_MS = 700

# A jump to itself.
LOOPS = {"x86_64": b"\xeb\xfe", "aarch64": b"\x00\x00\x00\x14"}


def stop(pid):
    os.kill(pid, signal.SIGSTOP)


def spin(pid):
    """Make the manager's poll return to a jump to itself. The write makes a private copy of the
    page."""
    def instruction():
        with open(f"/proc/{pid}/syscall", encoding="ascii") as file:
            words = file.read().split()
        return words[0] != "running" and int(words[-1], 16)
    at = wait_for(instruction, what="it waits in a system call", every=0.005)
    with open(f"/proc/{pid}/mem", "r+b", buffering=0) as memory:
        memory.seek(at)
        memory.write(LOOPS[platform.machine()])


chance = random.Random(SEED)
kinds = [stop, spin] if platform.machine() in LOOPS else [stop]
took = []
print(f"seed {SEED}")
with BusySandbox(SEED, init=("/sbin/svcd", f"--ping-ms={PING_MS}")) as busy:
    for number in range(ROUNDS):
        busy.wait_answer()
        time.sleep(chance.random() * 0.1)
        old = wait_for(busy.manager, what="there is a manager")
        kinds[number % len(kinds)](old)
        began = time.monotonic()
        busy.wait_other_manager(old)
        busy.box.killed_managers += 2  # reported as hanging, and then killed
        busy.wait_answer()
        took.append(time.monotonic() - began)
        busy.check_workers()
    busy.finish()
    print(f"{ROUNDS} hangs, PID 1 asks every {PING_MS} ms; until the next manager answered: "
          + ", ".join(f"{seconds:.2f} s" for seconds in sorted(took)))
    print(busy.summary())
