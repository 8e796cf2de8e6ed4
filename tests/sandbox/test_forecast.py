#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""--dry-run predicts exactly what then happens, for random small sets of services, policies and
changes."""


import os
import random

from deadline import wait_for
from sandbox import Sandbox

ROUNDS = 15
N_SERVICES = 9
SEED = int(os.environ.get("SVCD_SEED", random.randrange(1 << 30)))
UP = ("ready", "done")


def make_services(rng):
    """Each service needs some of the previous ones, so there is no cycle."""
    services = {}
    for i in range(N_SERVICES):
        kind = rng.choice(["daemon", "daemon", "task", "group"])
        lines = ["[Service]", f"Type={kind}"]
        if kind != "group":
            lines.append("Exec=/bin/sleep infinity" if kind == "daemon" else "Exec=/bin/true")
        lines.append("[Conditions]")
        for _ in range(rng.randrange(3) if i else 0):
            other = f"s{rng.randrange(i)}"
            lines.append(rng.choice([f"While=service:{other}", f"When=service:{other}", f"After={other}", f"Wants={other}"]))
        if rng.random() < 0.2:
            lines.append("While=flag:on")
        services[f"s{i}"] = "\n".join(lines) + "\n"
    return services


def make_policy(rng):
    def some():
        return " ".join(f"s{i}" for i in range(N_SERVICES) if rng.random() < 0.3)
    return f"[runlevel 2]\nActivate={some()}\n[runlevel 3]\nInclude=2\nActivate={some()}\n[runlevel 4]\nActivate={some()}\n"


def make_change(rng):
    name = f"s{rng.randrange(N_SERVICES)}"
    if rng.random() < 0.3:
        return ["runlevel", rng.choice("234")]
    if rng.random() < 0.3:
        return [rng.choice(["enable", "disable"]), name]
    return ["set", name, rng.choice(["boot", "on-demand", "manual", "never"])]


def up(box):
    return {name for name, row in box.services().items() if row["state"] in UP}


def settle(box):
    box.wait_at_rest()
    wait_for(lambda: not any(row["state"] in ("starting", "stopping") for row in box.services().values()),
             what="no service is starting or stopping")


def check_change(box, change):
    foretold = box.svcctl_json(*change, "--dry-run")
    before = up(box)
    box.svcctl(*change)
    settle(box)
    after = up(box)
    starts = set(foretold.get("starts", []))
    stops = set(foretold.get("stops", []))
    assert (starts, stops) == (after - before, before - after), \
        f"seed {SEED}, {change}: foretold +{starts} -{stops}, was +{after - before} -{before - after}"


rng = random.Random(SEED)
print("seed", SEED)
for _ in range(2):
    with Sandbox(make_services(rng), policy=make_policy(rng)) as box:
        box.wait_up()
        settle(box)
        for _ in range(ROUNDS):
            check_change(box, make_change(rng))
            if rng.random() < 0.3:
                box.svcctl("flag", rng.choice(["set", "clear"]), "on")
                settle(box)
