#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""explain leads from a service to the root causes in sentences; without a name it explains all
wanted services that are not up."""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {
    "top": SLEEP + "[Conditions]\nWhile=service:middle\n",
    "middle": SLEEP + "[Conditions]\nWhile=service:bottom\n",
    "bottom": SLEEP + "[Conditions]\nWhen=path:/etc/the-missing-piece\n",
    "broken": "[Service]\nType=task\nExec=/bin/sh -c \"exit 42\"\nRestart=no\n",
    "fine": SLEEP,
}

with Sandbox(SERVICES) as box:
    box.wait_states({"top": "waiting", "bottom": "waiting", "broken": "failed", "fine": "ready"})

    explained = box.svcctl("explain", "top").stdout
    for word in ("top", "middle", "bottom", "/etc/the-missing-piece"):
        assert word in explained, f"{word} is not in:\n{explained}"

    everything = box.svcctl("explain").stdout
    assert "broken" in everything and "42" in everything and "/etc/the-missing-piece" in everything, everything
    assert "fine" not in everything, everything

    stopped = box.svcctl("stop", "fine")
    assert stopped.returncode == 0
    explained = box.svcctl("explain", "fine").stdout
    assert "stop" in explained, explained
