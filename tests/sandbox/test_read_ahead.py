#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
While svc-generate runs the manager reads what is not generated. What changes meanwhile is read again if somebody asks for it, be it by
SIGHUP in the first moments of a boot, and what is generated counts as it is in the end.
"""

import signal
import subprocess

from deadline import wait_for
from sandbox import Sandbox

GENERATOR = """#!/bin/sh
: >/run/generator-runs
until [ -e /run/may-end ]; do sleep 0.05; done
mkdir -p "$2/dropped.svc.d"
printf '[Service]\\nExec=/bin/sleep 3333\\n' >"$2/made.svc"
printf '[Service]\\nDescription=with a drop-in\\n' >"$2/dropped.svc.d/a.conf"
rm -f /run/generator-runs /run/may-end
"""
SERVICES = {name: "[Service]\nExec=/bin/sleep 1111\n" for name in ("changed", "dropped", "same")}
FILES = {"/usr/lib/svcd/svc-generate": {"text": GENERATOR, "mode": 0o755}}


def time_of_manager(box):
    with open(f"/proc/{box.manager_pid()}/schedstat", encoding="ascii") as file:
        return file.read()


def wait_at_rest(box):
    seen = [time_of_manager(box)]

    def is_at_rest():
        seen.append(time_of_manager(box))
        return seen[-1] == seen[-2]

    wait_for(is_at_rest, what="the manager sleeps", every=0.1)


def wait_read(box):
    """The generator runs, and the manager has done what it can meanwhile."""
    wait_for(lambda: box.exists("/run/generator-runs"), what="the generator runs")
    wait_at_rest(box)


def let_end(box):
    box.write("/run/may-end", "")
    wait_for(lambda: not box.exists("/run/may-end"), what="the generator ends")


def pid1_has_taken(box, number):
    with open(f"/proc/{box.pid1}/status", encoding="ascii") as file:
        status = dict(line.split(":\t", 1) for line in file)
    return not int(status["ShdPnd"], 16) & 1 << number - 1


def hang_up(box):
    before = time_of_manager(box)
    box.kill(1, signal.SIGHUP)
    wait_for(lambda: pid1_has_taken(box, signal.SIGHUP), what="PID 1 has the signal")
    wait_for(lambda: time_of_manager(box) != before, what="the manager hears of it")
    wait_at_rest(box)


def reload_files(box):
    return subprocess.Popen(box.command(["svcctl", "reload-files"]))


def seconds_of(box, name):
    box.wait_state(name, "ready")
    with open(f"/proc/{box.outer_pid(box.pid(name))}/cmdline", encoding="ascii") as file:
        return file.read().split("\0")[1]


def change(box, seconds):
    box.write("/etc/svcd/services.d/changed.svc", f"[Service]\nExec=/bin/sleep {seconds}\n")


with Sandbox(SERVICES, files=FILES) as box:
    wait_read(box)
    change(box, 2222)
    hang_up(box)
    let_end(box)
    assert seconds_of(box, "changed") == "2222", "what was read before the SIGHUP is in force"
    assert seconds_of(box, "same") == "1111"
    assert "with a drop-in" in box.svcctl("status", "dropped").stdout
    box.wait_state("made", "idle")

    # Two that ask, the other one while it runs for the first.
    asked = [reload_files(box)]
    wait_read(box)
    change(box, 4444)
    asked.append(reload_files(box))
    wait_at_rest(box)
    let_end(box)
    wait_read(box)
    let_end(box)
    assert [one.wait(60) for one in asked] == [0, 0]
    box.svcctl("restart", "changed")
    assert seconds_of(box, "changed") == "4444", "what was read before somebody asked again is in force"
