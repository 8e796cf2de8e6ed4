#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""boot, on-demand, manual and never: the permitted ways to start."""

from deadline import holds_for
from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"


def needs(name):
    return SLEEP + f"[Conditions]\nWhen=service:{name}\n"


SERVICES = {
    "demanded": SLEEP, "demands": needs("demanded"),
    "hand": SLEEP, "hopes": needs("hand"),
    "barred": SLEEP, "despairs": needs("barred"),
    "boots": SLEEP,
}
POLICY = """[runlevel 2]
Activate=demands hopes despairs boots
[service demanded]
Activation=on-demand
[service hand]
Activation=manual
[service barred]
Activation=never
Reason=office rule 12
"""

with Sandbox(SERVICES, policy=POLICY) as box:
    box.wait_states({"boots": "ready", "demanded": "ready", "demands": "ready", "hopes": "waiting", "despairs": "waiting"})
    holds_for(lambda: (box.state("hand"), box.state("barred")) == ("idle", "idle"), 0.3, "neither is started by a need")

    box.svcctl("start", "hand")
    box.wait_states({"hand": "ready", "hopes": "ready"})

    refused = box.svcctl("start", "barred", check=False)
    assert refused.returncode == 8, refused
    assert "never" in refused.stderr, refused.stderr
    assert box.state("barred") == "idle"
    assert "office rule 12" in box.svcctl("explain", "barred").stdout
