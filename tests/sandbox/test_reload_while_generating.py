#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
reload-files returns when the present files are in force, also if a generator was already running.
"""

import subprocess

from deadline import wait_for
from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
PROGRAM = "/usr/lib/svcd/svc-generate"
# The generator reads all files, makes a service from one of them, and exits on request.
GENERATOR = f"""#!/bin/sh
[ ! -e /etc/there ] || cp /etc/there "$2/made.svc"
{PROGRAM}.real "$@" || exit 1
: >/run/generator-has-looked
[ ! -p /run/gate ] || read -r _ </run/gate
"""


def reload_files(box):
    return subprocess.Popen(box.command(["svcctl", "reload-files"]), env=box.run_environment(), stdin=subprocess.DEVNULL)


with Sandbox({"a": SLEEP}) as box:
    box.wait_state("a", "ready")
    box.run("mv", PROGRAM, f"{PROGRAM}.real")
    box.write(PROGRAM, GENERATOR, 0o755)
    box.run("mkfifo", "/run/gate")

    first = reload_files(box)
    wait_for(lambda: box.exists("/run/generator-has-looked"), what="the generator is at work")
    box.write("/etc/there", SLEEP)
    second = reload_files(box)
    wait_for(lambda: box.console().count("reading all files again") == 2, what="both requests were received")
    assert "made" not in box.services()
    box.run("mv /run/gate /run/gate.open && echo go >/run/gate.open")

    assert second.wait(60) == 0
    assert "made" in box.services(), box.services().keys()
    assert first.wait(60) == 0
