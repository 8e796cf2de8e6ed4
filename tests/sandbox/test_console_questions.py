#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Services that ask at the console (TTYPath=/dev/console, StartLock=console) get it one after the
other.

Answers arrive, ctrl-C ends one service, a terminal in raw mode is reset, and svcd's lines wait
until no service asks."""

import os
import re

from deadline import wait_for
from sandbox import Sandbox

ASKS = "printf '{name} asks: '; read answer; printf '{name} got <%s>\\n' \"$answer\""


def asker(name):
    return f"[Service]\nType=task\nExec=/bin/sh /etc/{name}.sh\nTTYPath=/dev/console\nStartLock=console\n"


SCRIPTS = {
    "first": ASKS.format(name="first") + "\nstty raw -echo\n",
    "second": ASKS.format(name="second") + "\n",
    "third": ASKS.format(name="third") + "\n",
    "fourth": "tty; ps -o tpgid=,pgid=,sid=,pid= -p $$ >/run/fourth\n",
}
SLEEP = "[Service]\nExec=/bin/sleep infinity\n"


def answer(box, text):
    os.write(box.console_fd, text)


def own_lines(text):
    return re.findall(r"^svcd: .*", text, re.M)


services = {**{name: asker(name) for name in SCRIPTS}, "bystander": SLEEP, "late": SLEEP + "[Conditions]\nAfter=first\n"}
files = {f"/etc/{name}.sh": text for name, text in SCRIPTS.items()}
policy = "[runlevel 2]\nActivate=first second third fourth late\n"

with Sandbox(services, files=files, policy=policy) as box:
    box.wait_console("first asks: ")
    box.wait_states({"first": "starting", "second": "waiting", "third": "waiting", "late": "waiting"})
    assert "second waits for the lock console, which first holds." in box.svcctl("explain", "second").stdout

    # Events that happen meanwhile are logged afterwards, also by the next manager.
    before = box.console()
    box.svcctl("start", "bystander")
    box.wait_state("bystander", "ready")
    assert box.console() == before, box.console()[len(before):]
    box.kill_manager()
    told = box.console()
    box.svcctl("stop", "bystander")
    box.wait_state("bystander", "idle")
    assert not [line for line in own_lines(box.console()[len(told):]) if "bystander" in line], box.console()
    assert box.state("first") == "starting"

    answer(box, b"one\n")
    box.wait_console("first got <one>")
    box.wait_console("svcd: bystander: stopping")
    box.wait_states({"first": "done", "late": "ready"})

    # The previous service left the terminal in raw mode; now there is echo, and a line ends with a
    # newline.
    box.wait_console("second asks: ")
    answer(box, b"twx\x7fo\r")
    box.wait_console("second got <two>")
    assert "second asks: twx\b \bo\n" in box.console(), box.console()
    box.wait_state("second", "done")

    box.wait_console("third asks: ")
    answer(box, b"\x03")
    box.wait_state("third", "failed")
    assert "third got" not in box.console(), box.console()
    assert "INT" in box.service("third")["result"], box.service("third")

    # The service leads its session, in the foreground of its terminal.
    box.wait_state("fourth", "done")
    foreground, group, session, pid = box.read("/run/fourth").split()
    assert foreground == group == session == pid, box.read("/run/fourth")
    box.wait_at_rest()
