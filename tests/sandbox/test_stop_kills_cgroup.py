#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A stop kills everything in the service's cgroup, such as a daemon that forked twice and a daemon
that ignores TERM."""

from deadline import wait_for
from sandbox import Sandbox

ESCAPES = "/bin/sh -c \"setsid sh -c 'setsid sleep infinity & echo $! >/run/escaped' & exec sleep infinity\""
DEAF = "/bin/sh -c \"trap '' TERM; echo $$ >/run/deaf; while :; do sleep 1; done\""
SERVICES = {
    "escapes": f"[Service]\nExec={ESCAPES}\nStopTimeout=2s\n",
    "deaf": f"[Service]\nExec={DEAF}\nStopTimeout=1s\n",
}

with Sandbox(SERVICES) as box:
    wait_for(lambda: box.exists("/run/escaped") and box.read("/run/escaped").strip(), what="it forked twice")
    wait_for(lambda: box.exists("/run/deaf") and box.read("/run/deaf").strip(), what="TERM is ignored")
    box.wait_states({"escapes": "ready", "deaf": "ready"})
    escaped, deaf = int(box.read("/run/escaped")), int(box.read("/run/deaf"))
    assert box.is_alive(escaped) and box.is_alive(deaf)

    box.svcctl("stop", "escapes", "deaf")

    box.wait_states({"escapes": "idle", "deaf": "idle"})
    assert not box.is_alive(escaped), "the daemon that forked twice lives"
    assert not box.is_alive(deaf), "the one that ignores TERM lives"
