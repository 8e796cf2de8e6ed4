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
# A kernel may do without; then nobody yields where there are no controllers.
HAS_SESSIONS = Path("/proc/self/autogroup").exists()


def share(box, name):
    """The weight of its session among the others, as nice(1) counts, and that of its group."""
    session = Path(f"/proc/{box.outer_pid(box.pid(name))}/autogroup")
    nice = int(re.search(r"nice (-?\d+)", session.read_text())[1]) if HAS_SESSIONS else None
    weight = Path(box.cgroup_of(box.pid(name))) / "cpu.weight"
    return int(weight.read_text()) if weight.exists() else nice


def normal(box, name):
    """With weights the groups are alike; without, sessions are."""
    return share(box, name) in (0, 100, None)


def yields(box, name):
    return not HAS_SESSIONS or share(box, name) == 10


with Sandbox(SERVICES, policy=POLICY) as box:
    box.wait_states({"screen": "ready", "ground": "ready", "beside": "ready", "nice": "ready"})

    wait_for(lambda: yields(box, "beside"), what="what the screen does not need leaves it processors")
    assert normal(box, "screen") and normal(box, "ground"), "what it needs does not"
    assert share(box, "nice") in (3, 10), "who says its share keeps it, where there are no weights"
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
    assert share(box, "nice") in (3, 100)
