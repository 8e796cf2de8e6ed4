#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
All attacks of attack_set.py run at the same time: svcctl, restarts, logs and a shutdown work.
$SVCD_TEST_SECONDS: the duration (15).
"""

import os
import time

import attack
import attack_set
from deadline import wait_for
from sandbox import Sandbox

SECONDS = float(os.environ.get("SVCD_TEST_SECONDS", "15"))
# Before it starts, a sanitized program reads /proc, which is one of the held directories.
STAGE = os.environ["SVCD_BUILDS"] + "/stage-bare"
# The sandbox has no /dev/kmsg; on a whole machine its name is always cached. /proc is excluded
# because svcctl itself searches it for the processes of a service.
PLANS = [plan for plan in attack_set.PLANS if plan.name not in ("directory-dev", "directory-proc")]

# These attacks hold their objects, whatever svcd does.
ALWAYS_HELD = {"directory-run", "listener", "linger", "listeners", "bus"}
# Both attacks hold /dev/shm, so one of them waits behind the writer of the other.
ONE_IS_HELD = {"directory-dev-shm", "look-up"}

PF_EXITING = 4


def held(box):
    return {plan.name for plan in PLANS for mark in plan.marks if attack.state(box, mark).way}


def have_begun(box):
    names = held(box)
    if names >= ALWAYS_HELD and names & ONE_IS_HELD:
        return True
    print(f"not held yet: {', '.join(sorted((ALWAYS_HELD | ONE_IS_HELD) - names))}")
    return False


def is_off(box):
    """The console is held, too, so look at PID 1. After reboot(2) it only waits for the unkillable
    attackers."""
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
    wait_for(lambda: have_begun(box), what="the attacks have begun", every=5)
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
