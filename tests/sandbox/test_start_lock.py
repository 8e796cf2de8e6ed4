#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""StartLock=: three tasks start one after the other, in the order of policy; the next manager keeps
that order.

svcctl explain and svcctl start name the holder."""

from deadline import wait_for
from sandbox import Sandbox

NAMES = ("third", "first", "second")


def task(name):
    script = f"echo {name} begins >>/run/log; read answer </run/{name}.answer; echo {name} ends >>/run/log; exit $answer"
    return f"[Service]\nType=task\nExec=/bin/sh -c \"{script}\"\nStartLock=desk\n"


def answer(box, name, status):
    wait_for(lambda: f"{name} begins" in box.read("/run/log"), what=f"{name} begins")
    box.run("/bin/sh", "-c", f"echo {status} >/run/{name}.answer")


fifos = "[Service]\nType=task\nExec=/bin/sh -c \"touch /run/log; cd /run; mkfifo " + \
        " ".join(f"{name}.answer" for name in NAMES) + "\"\n[Conditions]\nBefore=" + " ".join(NAMES) + "\n"
free = "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nAfter=fifos\n"
policy = "[runlevel 2]\nActivate=fifos first second third free\n"

with Sandbox({**{name: task(name) for name in NAMES}, "fifos": fifos, "free": free}, policy=policy) as box:
    box.wait_states({"first": "starting", "second": "waiting", "third": "waiting", "free": "ready"})
    wait_for(lambda: "first begins" in box.read("/run/log"), what="the first one begins")

    explained = box.svcctl("explain", "third").stdout
    assert "third waits for the lock desk, which first holds." in explained, explained
    started = box.svcctl("start", "second", "--no-wait").stdout
    assert "waits for the lock desk, which first holds" in started, started

    box.kill_manager()
    states = {name: box.state(name) for name in NAMES}
    assert states == {"first": "starting", "second": "waiting", "third": "waiting"}, states

    answer(box, "first", 0)
    box.wait_states({"first": "done", "second": "starting", "third": "waiting"})
    answer(box, "second", 1)
    box.wait_states({"second": "failed", "third": "starting"})
    answer(box, "third", 0)
    box.wait_state("third", "done")
    box.wait_at_rest()
    log = box.read("/run/log").splitlines()
    assert log == [f"{name} {act}" for name in ("first", "second", "third") for act in ("begins", "ends")], log
