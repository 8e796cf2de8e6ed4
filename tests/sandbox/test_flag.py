#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""svcctl sets and clears a flag, which is a condition and survives the manager."""

from sandbox import Sandbox

with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=flag:go\n"}) as box:
    box.wait_state("a", "waiting")

    box.svcctl("flag", "set", "go")
    pid = box.wait_state("a", "ready")["pid"]
    assert "go" in box.svcctl("flag").stdout

    box.kill_manager()
    assert "go" in box.svcctl("flag").stdout
    assert box.wait_state("a", "ready")["pid"] == pid

    box.svcctl("flag", "clear", "go")
    box.wait_state("a", "waiting")
