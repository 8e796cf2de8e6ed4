#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A service with a program that cannot be executed fails at once, with the path and the error as
the reason."""


from sandbox import Sandbox

SERVICES = {
    "missing": "[Service]\nExec=/usr/bin/no-such-thing\nRestart=no\n",
    "forbidden": "[Service]\nExec=/etc/passwd\nRestart=no\n",
    "no-user": "[Service]\nExec=/bin/true\nUser=nobody-knows-him\nRestart=no\n",
    "no-directory": "[Service]\nExec=/bin/true\nWorkingDirectory=/nowhere\nRestart=no\n",
}
WORDS = {
    "missing": ("/usr/bin/no-such-thing", "No such file"),
    "forbidden": ("/etc/passwd", "Permission denied"),
    "no-user": ("nobody-knows-him",),
    "no-directory": ("/nowhere", "No such file"),
}

with Sandbox(SERVICES, policy="[runlevel 2]\n") as box:
    box.wait_up()
    for name, words in WORDS.items():
        box.svcctl("start", name, check=False)
        box.wait_state(name, "failed")
        explained = box.svcctl("explain", name).stdout
        assert all(word in explained for word in words), explained
