#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A service waits until the login screen is drawn, also with another manager."""

import re

from sandbox import Sandbox

SLEEPER = "[Service]\nExec=/bin/sh -c 'sleep infinity; true'\n"
SERVICES = {
    "screen": SLEEPER + "[Conditions]\nAfter=ground\nShownWhen=flag:drawn\n",
    "ground": SLEEPER,
    "beside": SLEEPER,
    "late": SLEEPER,
}
POLICY = ("[defaults]\nNewServices=boot\nLoginScreen=screen\n[runlevel 2]\nActivate=screen ground beside late\n"
          "[service late]\nClass=after-login\n")


with Sandbox(SERVICES, policy=POLICY) as box:
    box.wait_states({"screen": "ready", "ground": "ready", "beside": "ready"})

    assert box.state("late") == "waiting"
    text = box.svcctl("explain", "late", check=False).stdout
    assert "late waits for the login screen." in text, text
    words = box.svcctl("policy", "late").stdout
    assert re.search(r"Class\s*=?\s*after-login", words), words

    box.kill_manager()
    box.wait_up()
    assert box.state("late") == "waiting", "another manager continues to wait"

    box.svcctl("flag", "set", "drawn")
    box.wait_state("late", "ready")
