#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A log channel that svc-logger has read to its end still works when it is passed again for a
clean-up command."""

from deadline import wait_for
from sandbox import Sandbox

ROUNDS = 30
SERVICE = """[Service]
Exec=/bin/sh -c "echo main"
Cleanup=/bin/sh -c "echo clean-up 1"
Cleanup=/bin/sh -c "echo clean-up 2"
Restart=always
RestartDelay=1ms
RestartDelayMax=1ms
RestartLimit=1000/1s
"""

NAMES = [f"s{number}" for number in range(3)]

with Sandbox({name: SERVICE for name in NAMES}) as box:
    wait_for(lambda: all(box.service(name)["restarts"] >= ROUNDS for name in NAMES), what="many rounds")
    for name in NAMES:
        box.svcctl("stop", name)
        box.wait_state(name, "idle")
    for name in NAMES:
        lines = [line.split(" ", 1)[1] for line in box.read(f"/run/svcd/log/{name}.log").splitlines()]
        assert lines.count("clean-up 2") >= ROUNDS, lines[-20:]
    assert "svc-logger: ended" not in box.console(), box.console()
