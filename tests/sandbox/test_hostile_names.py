#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Names that are none are refused by every verb with a sentence, and nothing happens."""

from sandbox import Sandbox

NAMES = ("../x", "a/b", ".hidden", "x" * 300, "new\nline", "%s%n", "a b", "", "\x1b[31m", "caf\u00e9")
VERBS = (["start"], ["stop"], ["status"], ["explain"], ["cat"], ["log"], ["flag", "set"], ["runlevel"])

with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n"}) as box:
    pid = box.wait_state("a", "ready")["pid"]
    manager = box.manager_pid()
    for verb in VERBS:
        for name in NAMES:
            done = box.svcctl(*verb, "--", name, check=False)
            assert done.returncode in (2, 4), (verb, name, done)
            assert done.stderr.startswith("svcctl: ") and "\x1b" not in done.stderr, (verb, name, done)
    assert box.manager_pid() == manager
    assert box.pid("a") == pid
