#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Without a terminal svcctl writes no escape sequences and does not cut text."""

from sandbox import Sandbox

SLEEP = "[Service]\nDescription=A rather long description that a narrow terminal has no room for at all\n" \
        "Exec=/bin/sleep infinity\n"
NAME = "a-service-with-quite-a-long-name-that-should-not-be-cut"

with Sandbox({NAME: SLEEP}) as box:
    box.wait_state(NAME, "ready")
    for words in ([], ["list"], ["status", NAME], ["explain", NAME], ["tree", "--order"], ["cat", NAME]):
        shown = box.svcctl(*words).stdout
        assert "\x1b" not in shown, shown
        assert "…" not in shown, shown
    for words in (["list"], ["status", NAME], ["explain", NAME], ["cat", NAME]):
        assert NAME in box.svcctl(*words).stdout, words
