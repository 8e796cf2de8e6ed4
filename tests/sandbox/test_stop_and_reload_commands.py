#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prepare=, Stop=, Reload= and Cleanup= run in that order, with $MAINPID where it is defined."""

from deadline import wait_for
from sandbox import Sandbox

SAY = "/usr/local/bin/say"
TEXT = f"""[Service]
Prepare={SAY} prepare-1
Prepare=-/bin/false
Prepare={SAY} prepare-2
Exec=/bin/sh -c "{SAY} main; exec sleep infinity"
Reload={SAY} reload $MAINPID
Stop={SAY} stop $MAINPID
StopTimeout=2s
Cleanup={SAY} cleanup
"""
SCRIPT = "#!/bin/sh\necho \"$@\" >>/run/said\n"

with Sandbox({"a": TEXT}, files={SAY: {"text": SCRIPT, "mode": 0o755}}) as box:
    wait_for(lambda: box.exists("/run/said") and "main" in box.read("/run/said"), what="the main process runs")
    pid = box.wait_state("a", "ready")["pid"]

    box.svcctl("reload", "a")
    wait_for(lambda: f"reload {pid}" in box.read("/run/said"), what="Reload= ran")
    assert box.wait_state("a", "ready")["pid"] == pid

    box.svcctl("stop", "a")
    box.wait_state("a", "idle")
    said = box.read("/run/said").split("\n")[:-1]
    assert said == ["prepare-1", "prepare-2", "main", f"reload {pid}", f"stop {pid}", "cleanup"], said
