#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Settle= waits out a flapping condition: only a condition that stays false stops a service."""

from deadline import holds_for
from sandbox import Sandbox

TEXT = "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=flag:link\nSettle=3s\n"

with Sandbox({"a": TEXT}) as box:
    box.wait_state("a", "waiting")
    box.svcctl("flag", "set", "link")
    pid = box.wait_state("a", "ready")["pid"]

    box.svcctl("flag", "clear", "link")
    box.svcctl("flag", "set", "link")
    holds_for(lambda: box.pid("a") == pid, 4, "a short interruption is waited out")

    box.svcctl("flag", "clear", "link")
    box.wait_state("a", "waiting")
