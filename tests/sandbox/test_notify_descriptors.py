#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Descriptors with a close that never returns are sent to notify sockets: by the service, also just
before its stop, and by a stranger.

The manager and PID 1 answer all the time. Barriers, which are descriptors too, work as sd_notify(3)
describes.
"""

import os
import time

import attack
from attack import Attack
from deadline import wait_for
from sandbox import Sandbox

# Sends READY=1, and then twenty times BARRIER=1, each of which must end. The status contains their
# duration.
SPEAKER = """import array, os, select, socket, sys, time
say = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
say.connect(os.environ["NOTIFY_SOCKET"])
began = time.monotonic()
say.send(b"READY=1\\nSTATUS=first")
for i in range(20):
    ours, theirs = os.pipe()
    say.sendmsg([b"BARRIER=1"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [theirs]))])
    os.close(theirs)
    assert select.select([ours], [], [], 20)[0], "the barrier did not end"
    assert os.read(ours, 1) == b""
say.send(b"STATUS=after %.3f s" % (time.monotonic() - began))
time.sleep(1000000)
"""

SPEAKS = "[Service]\nExec=/usr/bin/python3 /etc/speaker.py\nReady=notify\n"
HOSTILE = "Ready=notify\nStartTimeout=1h\n"
SERVICES = {
    **attack.WITNESSES,
    "open": SPEAKS,
    "closed": SPEAKS + "User=daemon\n",
    "number": SPEAKS + "User=1234\nGroup=1234\n",
    "own": attack.service("own", "send-descriptor", "/run/svcd/notify/own", more=HOSTILE),
    "brief": attack.service("brief", "send-descriptor", "/run/svcd/notify/brief", more=HOSTILE),
}
FILES = {**attack.FILES, "/etc/speaker.py": SPEAKER}
POLICY = "[runlevel 2]\nActivate=victim\nActivate=talker\nActivate=open\nActivate=closed\nActivate=number\n"


def owner(box, name):
    seen = os.stat(box.path(f"/run/svcd/notify/{name}"))
    return f"{seen.st_mode & 0o777:o} {seen.st_uid}"


def status_of(box, name):
    return box.svcctl("status", name).stdout


def barriers_end(box):
    for name in ("open", "closed", "number"):
        box.wait_state(name, "ready")
        text = wait_for(lambda it=name: next((line for line in status_of(box, it).splitlines() if "after " in line), None),
                        what=f"the barriers of {name} have ended")
        print(f"{name}: 20 barriers:{text.split('after')[1]}")
    assert owner(box, "open") == "666 0" and owner(box, "closed") == "600 1" and owner(box, "number") == "600 1234"


def given_up(box, name):
    return f"{name}: notify: user 65534 has sent descriptors that cannot be closed; only root may write" in box.console()


def a_service_harms_only_itself(box):
    box.svcctl("start", "own", "--no-wait")
    attack.wait_held(box, "own")
    while not given_up(box, "own"):
        attack.check_responsive(box)
        time.sleep(0.1)
    assert owner(box, "own") == "600 0"
    attack.check_responsive(box)


def its_last_words_harm_nothing(box):
    box.svcctl("start", "brief", "--no-wait")
    attack.wait_held(box, "brief")
    box.svcctl("stop", "brief", "own")
    box.wait_states({"brief": "idle", "own": "idle"})
    attack.check_responsive(box)


def a_stranger_cannot_write(box, name):
    try:
        with Attack(box, "send-descriptor", f"/run/svcd/notify/{name}"):
            raise AssertionError(f"the notify socket of {name} is closed to all users")
    except RuntimeError as failure:
        assert "Permission denied" in str(failure), failure


def a_stranger_ends_one_socket(box):
    with Attack(box, "send-descriptor", "/run/svcd/notify/open"):
        while not given_up(box, "open"):
            attack.check_responsive(box)
            time.sleep(0.1)
        assert owner(box, "open") == "600 0"
    attack.check_responsive(box)
    assert box.service("open")["state"] == "ready"


with Sandbox(SERVICES, policy=POLICY, files=FILES) as machine:
    machine.wait_up()
    barriers_end(machine)
    for service in ("closed", "number"):
        a_stranger_cannot_write(machine, service)
    a_service_harms_only_itself(machine)
    its_last_words_harm_nothing(machine)
    a_stranger_ends_one_socket(machine)
