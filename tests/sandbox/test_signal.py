#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""svcctl reload --signal reaches the main process, or with --all each process; Restart= applies if
the signal ends it."""

from deadline import wait_for
from sandbox import Sandbox

# The main process and its child each record their signals.
CHILD = "trap \"echo child >>/run/told\" USR1; echo up >/run/child; while :; do sleep 0.05; done"
MAIN = "trap \"echo main >>/run/told\" USR1; echo >&3; while :; do sleep 0.05; done"
SERVICES = {"family": f"[Service]\nReady=fd:3\nRestart=always\nExec=/bin/sh -c '({CHILD}) 3>&- & {MAIN}'\n",
            "off": "[Service]\nExec=/bin/sleep infinity\n"}


def told(box):
    return sorted(box.read("/run/told").split()) if box.exists("/run/told") else []


with Sandbox(SERVICES, policy="[runlevel 2]\nActivate=family\n") as box:
    box.wait_state("family", "ready")
    wait_for(lambda: box.exists("/run/child"), what="the child has its trap")

    box.svcctl("reload", "--signal", "USR1", "family")
    wait_for(lambda: told(box) == ["main"], what="the main process has the signal")
    box.svcctl("reload", "--signal", "SIGUSR1", "family", "--all")
    wait_for(lambda: told(box) == ["child", "main", "main"], what="both are told")
    box.wait_console("family: signal 10 (USR1) to all its processes, requested by uid 0")

    # A service that dies by the signal is restarted, because the signal is not a stop.
    before = box.pid("family")
    box.svcctl("reload", "--signal", "KILL", "family")
    wait_for(lambda: box.pid("family") not in (0, before), what="it runs again")

    off = box.svcctl("reload", "--signal", "HUP", "off", check=False)
    assert off.returncode == 3 and off.stderr == "svcctl: off is not running: it is idle\n  svcctl start off\n", off
    assert box.run("setpriv", "--reuid=65534", "--clear-groups", "svcctl", "reload", "--signal", "HUP", "family", check=False).returncode == 7
