#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Daemons that share files and scanners: each is ready when it reports so, recovers from a crash,
and leaves nothing."""

from life import Daemon, bus, tcp, try_all
from probes import eventually

try_all(
    # The other daemons register with avahi-daemon. After a stop they cannot start it again.
    Daemon("avahi-daemon", probe=bus("org.freedesktop.Avahi")),
    Daemon("nmbd", probe="nmblookup -U 192.0.2.2 svcd-box"),
    Daemon("saned", probe=eventually(tcp(6566))),
    Daemon("smbd", probe=tcp(445)),
    Daemon("winbind", probe="wbinfo --ping"),
)
