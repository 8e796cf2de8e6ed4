#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A chain of 10,000 needs neither overflows a stack nor makes svcd hang."""

from sandbox import Sandbox

DEPTH = 10_000

files = {}
for number in range(DEPTH):
    text = "[Service]\nType=group\n"
    if number:
        text += f"[Conditions]\nWhile=service:link-{number - 1}\n"
    files[f"/etc/svcd/services.d/link-{number}.svc"] = text

with Sandbox(files=files, policy=f"[runlevel 2]\nActivate=link-{DEPTH - 1}\n") as box:
    box.wait_state(f"link-{DEPTH - 1}", "ready", seconds=300)
    assert "link-0" in box.svcctl("tree", "--order").stdout
