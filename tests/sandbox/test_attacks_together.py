#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
All attacks of attack_set.py at once: svcctl, restarts, logs and a shutdown work.
$SVCD_TEST_SECONDS: the duration (15).
"""

import os
import time

import attack
import attack_set
from deadline import wait_for
from sandbox import Sandbox

SECONDS = float(os.environ.get("SVCD_TEST_SECONDS", "15"))
# A sanitized program reads /proc, one of the held directories, before it starts.
STAGE = os.environ["SVCD_BUILDS"] + "/stage-bare"
# The sandbox has no /dev/kmsg; on a machine it is always cached. In /proc svcctl itself searches
# for the processes of a service.
PLANS = [plan for plan in attack_set.PLANS if plan.name not in ("directory-dev", "directory-proc")]

# Held with any design of svcd.
ALWAYS_HELD = {"directory-run", "directory-dev-shm", "listener", "linger", "listeners", "bus"}

PF_EXITING = 4


def held(box):
    return {plan.name for plan in PLANS for mark in plan.marks if attack.state(box, mark).way}


def is_off(box):
    """The console is held, too. After reboot(2) PID 1 only waits for the unkillable attackers."""
    if not box.is_running():
        return True
    with open(f"/proc/{box.pid1}/stat", encoding="utf-8") as stat:
        return int(stat.read().rsplit(")", 1)[1].split()[6]) & PF_EXITING


with Sandbox(attack_set.services_of(PLANS), policy=attack_set.policy_of(PLANS), files=attack_set.files_of(PLANS), stage=STAGE) as box:
    attack.keeper(box)
    box.run("ip", "link", "set", "lo", "up")
    wait_for(lambda: "victim: ready" in box.console() or print(attack.waiting(box)), what="the witness is ready", every=5)
    attackers = [attacker for plan in PLANS for attacker in plan.begin(box)]
    for plan in PLANS:
        plan.go_on(box)
    wait_for(lambda: held(box) >= ALWAYS_HELD, what="the attacks have begun")
    worst = {}
    until = time.monotonic() + SECONDS
    n_rounds = 0
    while time.monotonic() < until or n_rounds == 0:
        for what, seconds in attack.check_responsive(box).items():
            worst[what] = max(seconds, worst.get(what, 0))
        n_rounds += 1
    print(f"held: {', '.join(sorted(held(box)))}")
    print(f"not held: {', '.join(sorted({plan.name for plan in PLANS} - held(box)))}")
    print(f"the longest of {n_rounds}: " + ", ".join(f"{what} {seconds:.3f} s" for what, seconds in worst.items()))

    began = time.monotonic()
    attack.ask(box, "/usr/bin/svcctl", "poweroff")
    wait_for(lambda: is_off(box), what="PID 1 has powered off")
    print(f"powered off after {time.monotonic() - began:.1f} s")
    for attacker in attackers:
        attacker.end()
