#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""--json on every verb gives one JSON document with schema, verb and exit code; errors too."""

import json

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
CALLS = (
    ([], 0), (["overview"], 0), (["list"], 0), (["status", "a"], 0), (["explain", "a"], 0), (["explain"], 0),
    (["log", "a"], 0), (["cat", "a"], 0), (["check"], 0), (["graph"], 0), (["flag"], 0), (["flag", "set", "f"], 0),
    (["flag", "clear", "f"], 0), (["runlevel"], 0), (["version"], 0), (["stop", "a"], 0), (["start", "a"], 0),
    (["restart", "a"], 0), (["conditions"], 0), (["wait", "a"], 0), (["wait", "flag:f", "-t", "0"], 3),
    (["wait", "nosuch"], 4), (["list", "--unmanaged"], 4), (["monitor", "netwrok:up"], 2),
    (["status", "nosuch"], 4), (["start", "nosuch"], 4), (["explain", "nosuch"], 4), (["cat", "nosuch"], 4),
    (["start", "never"], 8), (["nonsense"], 2), (["start"], 2), (["runlevel", "nosuch"], None),
)
POLICY = "[runlevel 2]\nActivate=a\n[service never]\nActivation=never\n"

with Sandbox({"a": SLEEP, "never": SLEEP}, policy=POLICY) as box:
    box.wait_state("a", "ready")
    for words, code in CALLS:
        done = box.svcctl(*words, "--json", check=False)
        answer = json.loads(done.stdout)
        assert answer["schema"] == "svcctl/1", (words, answer)
        assert answer["exit"] == done.returncode, (words, answer, done.returncode)
        if code is not None:
            assert done.returncode == code, (words, done)
        else:
            assert done.returncode != 0, (words, done)
        assert ("error" in answer) == (done.returncode != 0), (words, answer)
        if done.returncode:
            assert answer["error"]["message"], (words, answer)
