#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a machine has in place of exim4 and chrony. limit: 900"""

from life import ALTERNATIVES, Daemon, tcp, try_all

try_all(
    Daemon("ntpsec", waits_for="!virtual:container", why="it does not begin where it may not set the clock"),
    Daemon("postfix", probe=tcp(25, "QUIT\r\n", "220 "), broken=("/etc/postfix/main.cf", "queue_directory = /nowhere\n")),
    packages=ALTERNATIVES,
)
