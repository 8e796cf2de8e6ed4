#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""No table is wider than the terminal: long lists are counted and long cells are cut; in a pipe
they are complete.

A closed pipe is not an error."""

import re

from sandbox import Sandbox
from terminal import on_terminal

MANY = [f"service-with-a-long-name-{i}" for i in range(20)]
SLEEP = "[Service]\nExec=/bin/sleep infinity\nDescription=One of many\n"
PLACE = "/etc/svcd/policy.d/a-file-with-a-rather-long-name-for-this-machine.policy"
POLICY = f"[runlevel 2]\nActivate={' '.join(MANY)}\n"

with Sandbox({name: SLEEP + "[Conditions]\nWhen=flag:go\n" for name in MANY}, policy="", files={PLACE: POLICY}) as box:
    box.wait_state(MANY[-1], "waiting")

    for columns in (80, 100):
        for words in (["list", "--conditions"], ["policy"], ["policy", MANY[0]], ["list"], ["list", "--all"], ["boot", "blame"], ["list", "--processes"]):
            shown, _, code = on_terminal(box, columns, *words)
            assert code == 0, (words, shown)
            wide = [line for line in shown.splitlines() if len(re.sub("\x1b[^m]*m", "", line)) > columns]
            assert not wide, (columns, words, wide)
    conditions, _, _ = on_terminal(box, 80, "list", "--conditions")
    assert "+17" in conditions, conditions
    assert "…" in on_terminal(box, 80, "policy")[0]
    whole = box.svcctl("list", "--conditions").stdout
    assert all(name in whole for name in MANY) and PLACE in box.svcctl("policy").stdout

    # A reader that wants only the first line closes the pipe, which is not an error.
    done = box.run("{ svcctl list --all; svcctl monitor; } 2>/run/said | head -n 1", timeout=20)
    assert done.stdout.startswith("NAME") and box.read("/run/said") == "", box.read("/run/said")
    done = box.run("sh -c 'sleep 0.2; svcctl list --conditions; echo $? >/run/code' 2>/run/said | true")
    assert box.read("/run/said") == "", box.read("/run/said")
