#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""With "svcctl --help" alone a user needs two commands to find why a service does not run, and a
third to repair it."""

import re
import shlex

from deadline import wait_for
from sandbox import Sandbox

SHOP = "[Service]\nExec=/bin/sh -c 'cat /etc/shop.conf && exec sleep infinity'\nRestart=no\nReady=exec\n"


def told(box, command):
    """Returns the answer, once the service's output is in its log file."""
    answer = box.run(*shlex.split(command), check=False).stdout
    return answer if "Output" in answer else None


with Sandbox({"shop": SHOP, "other": "[Service]\nExec=/bin/sleep infinity\n"}) as box:
    box.wait_state("shop", "failed")
    box.wait_state("other", "ready")

    # The help shows the command for a service that does not run; the overview shows it with the
    # service's name.
    assert "svcctl explain NAME" in box.svcctl("--help").stdout
    shown = box.svcctl().stdout
    commands = re.findall(r"^ +(svcctl .*)$", shown, re.M)
    assert commands == ["svcctl explain shop"], shown

    # The command gives the reason, with the program's own message, and the remedy.
    why = wait_for(lambda: told(box, commands[0]), what="the last output of the service is shown")
    assert "exit status 1" in why and re.search("Output .*cat: /etc/shop.conf: No such file or directory", why), why
    assert "svcctl start shop" in why, why

    box.write("/etc/shop.conf", "open\n")
    box.svcctl("start", "shop")
    box.wait_state("shop", "ready")
    assert "shop" not in box.svcctl().stdout
