#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Who knows nothing but "svcctl --help" finds with two commands why a service does not run, and mends it with the third."""

import re
import shlex

from deadline import wait_for
from sandbox import Sandbox

SHOP = "[Service]\nExec=/bin/sh -c 'cat /etc/shop.conf && exec sleep infinity'\nRestart=no\nReady=exec\n"


def told(box, command):
    """The answer, once what the service wrote has come to its file."""
    answer = box.run(*shlex.split(command), check=False).stdout
    return answer if "Last output" in answer else None


with Sandbox({"shop": SHOP, "other": "[Service]\nExec=/bin/sleep infinity\n"}) as box:
    box.wait_state("shop", "failed")
    box.wait_state("other", "ready")

    # The help says what to type if something does not run; so does the overview, with the name.
    assert "svcctl explain NAME" in box.svcctl("--help").stdout
    shown = box.svcctl().stdout
    commands = re.findall(r"^ +(svcctl .*)$", shown, re.M)
    assert commands == ["svcctl explain shop"], shown

    # That says why, in the program's own words, and what to do.
    why = wait_for(lambda: told(box, commands[0]), what="the last words of the service are told")
    assert "exit status 1" in why and re.search("Last output .*cat: /etc/shop.conf: No such file or directory", why), why
    assert "svcctl start shop" in why, why

    box.write("/etc/shop.conf", "open\n")
    box.svcctl("start", "shop")
    box.wait_state("shop", "ready")
    assert "shop" not in box.svcctl().stdout
