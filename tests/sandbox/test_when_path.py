#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A service waits for a path, and starts when it appears; When= has no effect afterwards."""

from deadline import holds_for
from sandbox import Sandbox

with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhen=path:/run/deep/down/flag\n"}) as box:
    box.wait_state("a", "waiting")

    box.write("/run/deep/down/flag", "")
    box.wait_state("a", "ready")

    box.remove("/run/deep/down/flag")
    holds_for(lambda: box.state("a") == "ready", 0.5, "it keeps running without the path")
