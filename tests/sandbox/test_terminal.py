#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""TTYPath=: the terminal is the service's stdin, stdout, stderr and controlling terminal, as a
getty needs it."""

from deadline import wait_for
from sandbox import Sandbox

TEXT = "[Service]\nExec=/bin/sh -c \"tty >/run/tty; ps -o tty= -p $$ >/run/ctty; echo hello on the terminal; sleep infinity\"\n" \
       "TTYPath=/dev/console\n"

# Without a terminal one service fails, and the other writes to its log and reads nothing.
ASK = "[Service]\nType=task\nRestart=no\nExec=/bin/sh -c 'cat; tty; echo it goes on'\n"
SERVICES = {"a": TEXT, "must": ASK + "TTYPath=/etc/hostname\n", "may": ASK + "TTYPath=-/etc/hostname\n",
            "absent": ASK + "TTYPath=-/dev/ttyS99\n"}

with Sandbox(SERVICES) as box:
    box.wait_states({"must": "failed", "may": "done", "absent": "done"})
    assert "cannot open the terminal /etc/hostname" in box.service("must")["result"]
    for name in ("may", "absent"):
        wait_for(lambda: "it goes on" in box.svcctl("log", name).stdout, what="its output is logged")
        assert "not a tty" in box.svcctl("log", name).stdout

    box.wait_state("a", "ready")
    box.wait_console("hello on the terminal")
    wait_for(lambda: box.exists("/run/ctty") and box.read("/run/ctty").strip(), what="ps has looked")
    assert box.read("/run/tty").strip() == "/dev/console", box.read("/run/tty")
    assert box.read("/run/ctty").strip() != "?", box.read("/run/ctty")
