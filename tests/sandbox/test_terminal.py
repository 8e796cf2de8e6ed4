#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""TTYPath=: the terminal is the service's stdin, stdout, stderr and controlling terminal, as a getty needs it."""

from deadline import wait_for
from sandbox import Sandbox

TEXT = "[Service]\nExec=/bin/sh -c \"tty >/run/tty; ps -o tty= -p $$ >/run/ctty; echo hello on the terminal; sleep infinity\"\n" \
       "TTYPath=/dev/console\n"

with Sandbox({"a": TEXT}) as box:
    box.wait_state("a", "ready")
    box.wait_console("hello on the terminal")
    wait_for(lambda: box.exists("/run/ctty") and box.read("/run/ctty").strip(), what="ps has looked")
    assert box.read("/run/tty").strip() == "/dev/console", box.read("/run/tty")
    assert box.read("/run/ctty").strip() != "?", box.read("/run/ctty")
