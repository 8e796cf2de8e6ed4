#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Requests that wait for a CheckCommand=, and policy changes that wait for another change, are
limited in number. No request is forgotten."""

import time

from deadline import DEFAULT_S
from private_bus import SOCKET, Client
from sandbox import Sandbox

# LIMIT_CHECKS_WAITING, LIMIT_CHANGES_WAITING
CHECKS, CHANGES = 256, 16

SLOW = """[Service]
Exec=/bin/sleep infinity
CheckCommand=/bin/sh -c 'until [ -e /run/go ]; do sleep 0.02; done; echo not now; exit 1'
"""


def read_until(client, is_enough):
    said = b""
    until = time.monotonic() + DEFAULT_S
    while not is_enough(said):
        assert time.monotonic() < until, said[-2000:]
        said += client.read()
    return said


def answers(said):
    """The number of messages: each begins with its byte order, type, flags and version, at a
    multiple of eight."""
    return sum(said.count(b"l" + bytes([kind, 1, 1])) for kind in (2, 3))


with Sandbox({"slow": SLOW, "b": "[Service]\nExec=/bin/sleep infinity\n"}) as box:
    box.wait_states({"slow": "ready", "b": "ready"})
    pid = box.pid("slow")

    client = Client(box.path(SOCKET))
    for _ in range(CHECKS + 20):
        client.call("/org/svcd1", "org.svcd1.Manager", "Stop", "slow", False)
    refused = read_until(client, lambda said: answers(said) >= 20)
    assert refused.count(f"{CHECKS} requests already wait for a CheckCommand=".encode()) == 20, refused
    box.svcctl("list")  # other clients are served meanwhile
    box.write("/run/go", "")
    given = read_until(client, lambda said: answers(said) >= CHECKS)
    assert given.count(b"not now") >= CHECKS and b"already" not in given
    assert box.pid("slow") == pid
    client.close()

    client = Client(box.path(SOCKET))
    for number in range(3 * CHANGES):
        client.call("/org/svcd1", "org.svcd1.Manager", "ChangePolicy", ["set", "b", "boot", "--reason", f"the {number}th"])
    said = read_until(client, lambda said: answers(said) >= 3 * CHANGES)
    n_refused = said.count(b"changes of policy are waiting already")
    assert 0 < n_refused <= 2 * CHANGES, (n_refused, said[-3000:])
    assert box.state("b") == "ready"
