#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""After= only orders: a service waits while the other service is starting, but not if the other has
failed or is not wanted."""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {
    "slow": "[Service]\nExec=/bin/sh -c \"while [ ! -e /run/go ]; do sleep 0.05; done; echo >/run/up; exec sleep infinity\"\n"
            "Ready=path:/run/up\n",
    "fails": "[Service]\nExec=/bin/false\nReady=notify\nRestart=no\n",
    "unwanted": SLEEP,
    "absent": SLEEP + "[Conditions]\nWhen=path:/nowhere\n",
    "behind-slow": SLEEP + "[Conditions]\nAfter=slow\n",
    "behind-fails": SLEEP + "[Conditions]\nAfter=fails\n",
    "behind-unwanted": SLEEP + "[Conditions]\nAfter=unwanted\n",
    "behind-absent": SLEEP + "[Conditions]\nAfter=absent\n",
    "in-front": "[Service]\nType=task\nExec=/bin/sh -c \"[ ! -e /run/up ] && echo >/run/was-first\"\n[Conditions]\nBefore=slow\n",
}
WANTED = [name for name in SERVICES if name != "unwanted"]

with Sandbox(SERVICES, policy=f"[runlevel 2]\nActivate={' '.join(WANTED)}\n") as box:
    box.wait_states({"slow": "starting", "behind-slow": "waiting", "fails": "failed", "behind-fails": "ready",
                     "behind-unwanted": "ready", "behind-absent": "ready", "absent": "waiting", "unwanted": "idle",
                     "in-front": "done"})
    box.write("/run/go", "")
    box.wait_states({"slow": "ready", "behind-slow": "ready"})
    assert box.exists("/run/was-first")
