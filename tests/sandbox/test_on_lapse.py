#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""OnLapse= decides what happens when a While= term lapses: stop, keep or reload."""

from deadline import holds_for, wait_for
from sandbox import Sandbox

CONDITIONS = "[Conditions]\nWhile=flag:ground\n"
RELOADER = "/bin/sh -c \"trap 'echo r >>/run/reloaded' HUP; echo >/run/trapped; while :; do sleep 0.1; done\""
SERVICES = {
    "stops": "[Service]\nExec=/bin/sleep infinity\n" + CONDITIONS,
    "keeps": "[Service]\nExec=/bin/sleep infinity\n" + CONDITIONS + "OnLapse=keep\n",
    "reloads": f"[Service]\nExec={RELOADER}\nReady=path:/run/trapped\nReload=signal:HUP\n" + CONDITIONS + "OnLapse=reload\n",
}

with Sandbox(SERVICES) as box:
    box.wait_state("stops", "waiting")
    box.svcctl("flag", "set", "ground")
    box.wait_states({name: "ready" for name in SERVICES})
    pids = {name: box.pid(name) for name in SERVICES}

    box.svcctl("flag", "clear", "ground")

    box.wait_state("stops", "waiting")
    wait_for(lambda: box.exists("/run/reloaded"), what="it was asked to reload")
    holds_for(lambda: (box.pid("keeps"), box.pid("reloads")) == (pids["keeps"], pids["reloads"]), 0.3, "both go on")
