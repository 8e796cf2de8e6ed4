#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""No arguments make PID 1 exit: the kernel passes it the unknown parameters of the kernel command
line."""

from sandbox import Sandbox

WORDS = ("--version", "--help", "0", "U", "--nonsense", "--user", "--wait", "--reexec=999", "--try-tables=998", "--reexec=", "-",
         "--manager=/" + 600 * "x", "--ping-ms=never", "--ping-ms=-1", "--watchdog=soon", "--watchdog=", "\x1b]0;\x07", "%s%n", "")

# Some cases have one argument, because other programs check the first one for options.
for words in (("--version",), ("--help",), ("6",), WORDS + 40 * ("single-minded",)):
    with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n"}, init=("/sbin/svcd", *words)) as box:
        box.wait_state("a", "ready")
        assert box.read("/proc/1/comm").strip() == "svcd"
