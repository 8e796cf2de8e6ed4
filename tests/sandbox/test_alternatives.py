#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A line with "|" is true if any of its conditions is true; "!" negates; all lines must be true."""

from sandbox import Sandbox

TEXT = """[Service]
Exec=/bin/sleep infinity
[Conditions]
While=flag:one | flag:two
While=!flag:never
"""

with Sandbox({"a": TEXT}) as box:
    box.wait_state("a", "waiting")
    box.svcctl("flag", "set", "two")
    box.wait_state("a", "ready")
    box.svcctl("flag", "set", "one")
    box.svcctl("flag", "clear", "two")
    box.wait_state("a", "ready")
    box.svcctl("flag", "set", "never")
    box.wait_state("a", "waiting")
