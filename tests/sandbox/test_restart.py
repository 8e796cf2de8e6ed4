#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Restart=: a growing backoff, then failed with the reason; an admin's start resets both."""

from sandbox import Sandbox

# Each start records its time; the default limit would need ten seconds.
FLAKY = "/bin/sh -c \"date +%s%N >>/run/starts; exit 7\""
SERVICES = {
    "flaky": f"[Service]\nExec={FLAKY}\nRestart=on-failure\nRestartDelay=200ms\nRestartLimit=4/60s\n",
    "once": "[Service]\nExec=/bin/sh -c \"sleep 0.2; exit 7\"\nRestart=no\n",
    "happy": "[Service]\nExec=/bin/sh -c \"sleep 0.2; exit 0\"\nRestart=on-failure\n",
}

with Sandbox(SERVICES) as box:
    box.wait_state("flaky", "failed")

    starts = [int(line) for line in box.read("/run/starts").split()]
    assert len(starts) == 4, starts
    gaps = [(later - earlier) / 1e9 for earlier, later in zip(starts, starts[1:])]
    assert gaps[0] >= 0.2 and gaps[1] > gaps[0] * 1.3 and gaps[2] > gaps[1] * 1.3, gaps
    explained = box.svcctl("explain", "flaky").stdout
    assert "7" in explained and "svcctl" in explained, explained

    box.wait_state("once", "failed")
    box.wait_state("happy", "idle", "done", "waiting")

    box.write("/run/starts", "")
    box.svcctl("start", "flaky", check=False)  # it may have ended before svcctl looks
    box.wait_state("flaky", "failed")
    assert len(box.read("/run/starts").split()) >= 1
