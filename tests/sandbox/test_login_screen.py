#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Until the login screen is drawn one service waits for it and another leaves processors to it; then both are as always."""

import re
from pathlib import Path

from deadline import wait_for
from sandbox import Sandbox

SLEEPER = "[Service]\nExec=/bin/sh -c 'sleep infinity; true'\n"
SERVICES = {
    "screen": SLEEPER + "[Conditions]\nAfter=ground\nShownWhen=flag:drawn\n",
    "ground": SLEEPER,
    "beside": SLEEPER,
    "nice": SLEEPER + "Nice=3\n",
    "late": SLEEPER,
}
POLICY = ("[defaults]\nNewServices=boot\nLoginScreen=screen\n[runlevel 2]\nActivate=screen ground beside nice late\n"
          "[service late]\nClass=after-login\n")


def share(box, name):
    """The weight of its group; None where groups have none, and then no service yields."""
    weight = Path(box.cgroup_of(box.pid(name))) / "cpu.weight"
    return int(weight.read_text()) if weight.exists() else None


def normal(box, name):
    return share(box, name) in (100, None)


def yields(box, name):
    return share(box, name) in (10, None)


with Sandbox(SERVICES, policy=POLICY) as box:
    box.wait_states({"screen": "ready", "ground": "ready", "beside": "ready", "nice": "ready"})

    wait_for(lambda: yields(box, "beside"), what="what the screen does not need leaves it processors")
    assert normal(box, "screen") and normal(box, "ground"), "what it needs does not"
    assert box.state("late") == "waiting"
    text = box.svcctl("explain", "late", check=False).stdout
    assert "late waits for the login screen." in text, text
    words = box.svcctl("policy", "late").stdout
    assert re.search(r"Class\s*=?\s*after-login", words), words

    box.kill_manager()
    box.wait_up()
    assert box.state("late") == "waiting", "another manager goes on waiting"
    assert yields(box, "beside")

    box.svcctl("flag", "set", "drawn")
    box.wait_state("late", "ready")
    wait_for(lambda: normal(box, "beside"), what="it has its share back, whoever took it")
    assert normal(box, "late")
    assert normal(box, "nice")
