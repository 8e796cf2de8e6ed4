#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The kernel command line selects the runlevel and forbids services; conditions can test its
parameters.
"""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {
    "wanted": SLEEP,
    "forbidden": SLEEP,
    "word": SLEEP + "[Conditions]\nWhen=kernel:special\n",
    "value": SLEEP + "[Conditions]\nWhen=kernel:mode=fast\n",
    "no-word": SLEEP + "[Conditions]\nWhen=kernel:absent\n",
    "container": SLEEP + "[Conditions]\nWhen=virtual:container\n",
    "metal": SLEEP + "[Conditions]\nWhen=!virtual:container\n",
}
POLICY = "[runlevel 4]\n" + "".join(f"Activate={name}\n" for name in SERVICES)

with Sandbox(SERVICES, policy=POLICY, cmdline="ro special mode=fast svcd.runlevel=4 svcd.never=forbidden quiet") as box:
    box.wait_states({"wanted": "ready", "word": "ready", "value": "ready", "no-word": "waiting", "container": "ready",
                     "metal": "waiting"})
    assert box.state("forbidden") == "idle"
    assert box.svcctl("start", "forbidden", check=False).returncode == 8
