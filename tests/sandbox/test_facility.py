#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A facility is the set of wanted providers: After=$x waits for them, facility:$x is true when all
are ready."""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
PROVIDER = "[Service]\nExec=/bin/sh -c \"while [ ! -e /run/{name} ]; do sleep 0.05; done; echo >/run/up-{name}; exec sleep infinity\"\n" \
           "Ready=path:/run/up-{name}\n[Conditions]\nProvides=$net\n"
SERVICES = {
    "one": PROVIDER.format(name="one"),
    "two": PROVIDER.format(name="two"),
    "unwanted": PROVIDER.format(name="unwanted"),
    "ordered": SLEEP + "[Conditions]\nAfter=$net\n",
    "held": SLEEP + "[Conditions]\nWhile=facility:$net\n",
}

with Sandbox(SERVICES, policy="[runlevel 2]\nActivate=one two ordered held\n") as box:
    box.wait_states({"one": "starting", "two": "starting", "ordered": "waiting", "held": "waiting"})

    box.write("/run/one", "")
    box.wait_states({"one": "ready", "two": "starting", "ordered": "waiting", "held": "waiting"})

    box.write("/run/two", "")
    box.wait_states({"one": "ready", "two": "ready", "ordered": "ready", "held": "ready"})
