#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Three failures of a health command restart its service; services with a term on its health wait
meanwhile."""

import signal

from deadline import wait_for
from sandbox import Sandbox

ASKED = """[Service]
Exec=/bin/sleep infinity
Restart=on-failure
HealthCommand=/bin/sh -c 'echo asked >>/run/asked; [ ! -e /run/ill ] || { rm /run/ill; echo no answer from port 80 >&2; touch /run/next; }; [ ! -e /run/next ]'
HealthInterval=100ms
Prepare=/bin/rm -f /run/next
"""
TOLD = ASKED.replace("/run/", "/run/told-") + "HealthAction=none\n"
UPPER = "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=healthy:told\n"

with Sandbox({"asked": ASKED, "told": TOLD, "upper": UPPER}) as box:
    box.wait_states({"asked": "ready", "upper": "ready"})
    wait_for(lambda: box.svcctl_json("status", "asked")[0]["health"] == "healthy", what="it is well")
    asked, told = box.pid("asked"), box.pid("told")
    assert "healthy" in box.svcctl("status", "asked").stdout

    box.write("/run/ill", "")
    wait_for(lambda: box.state("asked") == "ready" and box.pid("asked") not in (0, asked), what="it is started again")
    result = box.service("asked")["result"]
    assert result.startswith("unhealthy: HealthCommand= failed 3 times: exit status 1"), result
    wait_for(lambda: "no answer from port 80" in box.svcctl("log", "asked").stdout, what="its output is in the log")

    # With HealthAction=none the service keeps running, but its dependents wait.
    box.write("/run/told-ill", "")
    wait_for(lambda: box.svcctl_json("status", "told")[0]["health"] == "unhealthy", what="it is told")
    box.wait_state("upper", "waiting")
    assert "told is unhealthy" in box.svcctl("explain", "upper").stdout
    assert box.pid("told") == told
    box.remove("/run/told-next")
    box.wait_state("upper", "ready")

    # Another manager checks again, and stops nothing before it has the result.
    upper = box.pid("upper")
    box.kill_manager(signal.SIGKILL)
    wait_for(lambda: box.svcctl_json("status", "told")[0]["health"] == "healthy", what="it is checked again")
    assert (box.pid("told"), box.pid("upper")) == (told, upper)
