#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A change of policy starts and stops only the difference, in parallel and in order; a hundred
services, fifty reloads."""


from deadline import wait_for
from sandbox import Sandbox

# Logs the stop request and its end.
SLOW = """[Service]
Exec=/bin/sh -c 'trap "echo begin {0} >>/run/order; sleep 1; echo end {0} >>/run/order; exit 0" TERM; while :; do sleep 1000 & wait; done'
"""
TOP = SLOW.replace("; sleep 1", "") + "[Conditions]\nWhile=service:base{1}\n"

N_STILL, N_PAIRS = 80, 10
SERVICES = {f"still{i}": "[Service]\nExec=/bin/sleep infinity\n" for i in range(N_STILL)}
# These services use all idle processors of the machine.
SERVICES.update({f"still-busy{i}": "[Service]\nExec=/bin/sh -c 'while :; do :; done'\n" for i in range(2)})
for number in range(N_PAIRS):
    SERVICES[f"base{number}"] = SLOW.format(f"base{number}")
    SERVICES[f"top{number}"] = TOP.format(f"top{number}", number)
WANTED = "[runlevel 2]\nActivate=" + " ".join(SERVICES) + "\n"
NEVER = "".join(f"[service base{i}]\nActivation=never\n" for i in range(N_PAIRS))


def pids(box):
    return {name: row["pid"] for name, row in box.services().items() if name.startswith("still")}


def states(box, kind):
    return {row["state"] for name, row in box.services().items() if name.startswith(kind)}


def change(box, text):
    box.write("/etc/svcd/policy.d/test.policy", text)
    box.svcctl("reload-files")


def the_difference_stops_in_parallel_and_in_order(box):
    change(box, WANTED + NEVER)
    wait_for(lambda: (states(box, "base"), states(box, "top")) == ({"idle"}, {"waiting"}), what="all pairs are down")
    lines = box.read("/run/order").splitlines()
    for number in range(N_PAIRS):
        assert lines.index(f"end top{number}") < lines.index(f"begin base{number}"), lines
    first_end = min(i for i, line in enumerate(lines) if line.startswith("end base"))
    together = sum(line.startswith("begin base") for line in lines[:first_end])
    assert together >= N_PAIRS / 2, f"{together} of {N_PAIRS} stop together: {lines}"


def and_comes_back(box):
    change(box, WANTED)
    wait_for(lambda: (states(box, "base"), states(box, "top")) == ({"ready"}, {"ready"}), what="all pairs are up")


with Sandbox(SERVICES, policy=WANTED) as machine:
    wait_for(lambda: states(machine, "") == {"ready"}, what="all are up")
    before = pids(machine)
    assert len(before) == N_STILL + 2 and 0 not in before.values()

    the_difference_stops_in_parallel_and_in_order(machine)
    and_comes_back(machine)
    for turn in range(50):
        change(machine, WANTED + (NEVER if turn % 2 == 0 else ""))
    wait_for(lambda: states(machine, "base") == {"ready"}, what="the services that the last reload wants are up")
    wait_for(lambda: states(machine, "top") == {"ready"}, what="and their dependents")

    assert pids(machine) == before
    assert all(row["restarts"] == 0 for name, row in machine.services().items() if name.startswith("still"))
